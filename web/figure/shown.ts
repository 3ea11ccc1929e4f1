// What the first screen shows of the engine's answers: the measures and pictures of heads, and one head large.
import type { Picture, Span } from '../engine/api';
import type { Lighting } from '../ui/screen';
import type { KeptStage } from '../views/weights/data';

/** What of a head lights up in the map, means over the prompt's queries. */
export type HeadMeasures = Readonly<Record<Exclude<Lighting, 'none' | 'writes'>, number | null>>;

/** What of one block is known for the map. */
export interface BlockHeads {
  readonly pictures: readonly Picture[];
  readonly measures: readonly HeadMeasures[];
}

/** What the large square shows of one head. */
export interface Square {
  readonly block: number;
  readonly head: number;
  readonly rows: Span;
  readonly pictures: ReadonlyMap<KeptStage, Picture>;
  readonly row: number;
  readonly weights: Float32Array;
}
