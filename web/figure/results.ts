// What the engine has answered to a figure, each with what it was computed from, so that it counts for that alone.
import type { FlowData } from '../views/flow/data';
import type { BlockHeads, Square } from './shown';

const noHeads: ReadonlyMap<number, BlockHeads> = new Map();

export class Results {
  /** Drawn until newer ones come. */
  flow: FlowData | null = null;
  square: Square | null = null;
  #map: { readonly run: string; readonly blocks: Map<number, BlockHeads> } = { run: '', blocks: new Map() };
  #computed = { ids: '', blocks: 0 };

  /** The heads of the blocks that are known of a run. */
  map(run: string): ReadonlyMap<number, BlockHeads> {
    return this.#map.run === run ? this.#map.blocks : noHeads;
  }

  take(run: string, block: number, heads: BlockHeads): void {
    if (this.#map.run !== run) this.#map = { run, blocks: new Map() };
    this.#map.blocks.set(block, heads);
  }

  /** Blocks whose attention has been computed for these tokens, and one more once there is an answer. */
  computed(ids: string): number {
    return this.#computed.ids === ids ? this.#computed.blocks : 0;
  }

  /** Whether these are more than before. */
  count(ids: string, blocks: number): boolean {
    if (blocks <= this.computed(ids)) return false;
    this.#computed = { ids, blocks };
    return true;
  }
}
