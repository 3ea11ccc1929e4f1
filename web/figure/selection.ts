// What is selected and explained: a cell that is chosen is explained, and what is explained follows what is selected.
import type { ModelInfo } from '../engine/api';
import { parseCell } from '../engine/explanation';
import type { CellPlace, FigureState } from '../ui/state';
import type { FlowData } from '../views/flow/data';
import { placeOfCell } from '../views/flow/places';
import { toBins } from '../views/flow/reading';
import { fittingPath, inBin } from './path';
import type { Requests } from './requests';
import { shownCell } from './shown-cell';

/** Asks for another state, which may be shown at once. */
export type Change = (part: Partial<FigureState>, step: boolean) => void;

export class Selection {
  readonly #requests: Requests;
  readonly #now: () => FigureState | null;
  readonly #change: Change;
  /** The explanation path followed the selection to numbers that are still to come. */
  #refit = false;

  constructor(requests: Requests, state: () => FigureState | null, change: Change) {
    this.#requests = requests;
    this.#now = state;
    this.#change = change;
  }

  /** A row is lit, or a cell is chosen: then it is explained, in a bin the one that the bin shows. */
  select({ row, cell }: Pick<FigureState, 'row' | 'cell'>): void {
    const state = this.#now();
    if (cell) void this.#explain(row, cell, true);
    else this.#change({ row, cell, path: [] }, (state?.path.length ?? 0) > 0);
  }

  async #explain(row: number | null, cell: CellPlace, step: boolean): Promise<void> {
    const [state, { queries, results }] = [this.#now(), this.#requests];
    const { flow } = results;
    if (!flow || !queries) return;
    const text = await shownCell(flow, queries, cell);
    if (state === this.#now()) this.#change({ row, cell, path: text === null ? [] : [text] }, step);
  }

  /** What is explained follows what is selected; whether it had to. */
  fit(info: ModelInfo, used: number): boolean {
    const state = this.#now();
    if (!state) return false;
    const path = fittingPath(state, info, used);
    if (path === state.path) return false;
    this.#refit = true;
    this.#change({ path }, false);
    return this.#now() !== state;
  }

  /** In bins, the selected cell's number is known only once they are drawn. */
  refit(flow: FlowData): void {
    const { block, head, row, cell, path } = this.#now() ?? {};
    const last = path?.at(-1);
    if (row === undefined || !cell || !last || flow.block !== block || flow.head !== head) return;
    if ((this.#refit && toBins(flow, cell)) || !inBin(flow, cell, last)) void this.#explain(row, cell, false);
    this.#refit = false;
  }

  /** To another number, and in the figure to where it stands, if it is drawn. */
  follow(path: readonly string[], used: number): void {
    const state = this.#now();
    if (!state) return;
    const cell = parseCell(path.at(-1) ?? '');
    const { embeddingLength: width = 0, headCount: heads = 0, headDim = 0 } = this.#requests.engine?.info.config ?? {};
    const place = cell && placeOfCell(cell, state.block, { tokens: used, width, heads, headDim });
    if (place) {
      const { block, head } = place;
      this.#change({ block, head: head ?? state.head, row: place.cell.row, cell: place.cell, path }, true);
    } else this.#change({ cell: null, path }, true);
  }
}
