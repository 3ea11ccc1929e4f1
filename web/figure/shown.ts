// What the first screen shows of the engine's answers: the measures and pictures of heads, and one head large.
import type { Picture } from '../engine/api';
import type { Lighting } from '../ui/screen';
import type { WeightsData } from '../views/weights/data';

/** What of a head lights up in the map, means over the prompt's queries. */
export type HeadMeasures = Readonly<Record<Exclude<Lighting, 'none' | 'writes'>, number | null>>;

/** What of one block is known for the map. */
export interface BlockHeads {
  readonly pictures: readonly Picture[];
  readonly measures: readonly HeadMeasures[];
}

/** What the large square shows of one head; the words of the tokens are the figure's. */
export type Square = Omit<WeightsData, 'tokens'>;
