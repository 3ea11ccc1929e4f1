// The head under the pointer in the map: it lends its row to the words and the sentence, as long as both are of one run.
import type { HeadPlace } from '../ui/state';
import type { Now } from './now';
import type { HoveredRow } from './screen';

export class HoveredHead {
  readonly #show: (row: HoveredRow | null) => void;
  #place: HeadPlace | null = null;
  /** The run and the lit token that the row was asked for. */
  #asked = '';

  constructor(show: (row: HoveredRow | null) => void) {
    this.#show = show;
  }

  /** `known`: the blocks whose heads can be read. */
  point(place: HeadPlace | null, now: Now | null, known: ReadonlyMap<number, unknown>): void {
    this.#place = place;
    this.#asked = '';
    this.#show(null);
    this.follow(now, known);
  }

  /** Other tokens, heads off or a lit token: the row is of those before. */
  follow(now: Now | null, known: ReadonlyMap<number, unknown>): void {
    const place = this.#place;
    if (!place || !now) return;
    const asked = `${now.key}|${now.row}`;
    if (asked === this.#asked) return;
    if (this.#asked !== '') this.#show(null);
    this.#asked = '';
    if (!known.has(place.block)) return;
    this.#asked = asked;
    void this.#ask(place, now);
  }

  async #ask(place: HeadPlace, { queries, key, row, tokens }: Now): Promise<void> {
    const weights = await queries.row(place.block, place.head, row, tokens.length).catch(() => null);
    const current = this.#place === place && this.#asked === `${key}|${row}`;
    if (current && weights) this.#show({ ...place, weights });
  }
}
