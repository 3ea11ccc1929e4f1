// What the pointer reads in the flow: a cell's place and value, and in a bin its exact values once they are there.
import type { Words } from '../ui/words/words';
import type { CellReading } from '../views/flow/reading';
import type { FigureQueries } from './queries';
import type { ReadoutElement } from './readout';

export class Pointing {
  readonly #element: ReadoutElement;
  #reading: CellReading | null = null;

  constructor(element: ReadoutElement) {
    this.#element = element;
  }

  /** `queries`: whom exact values are asked of; null where none are wanted. */
  show(reading: CellReading | null, queries: FigureQueries | null, words: Words): void {
    this.#reading = reading;
    this.#element.show(reading, null, words);
    if (!reading?.bin || !queries) return;
    queries.values(reading.bin).then(
      (values) => this.#reading === reading && this.#element.show(reading, values, words),
      () => undefined,
    );
  }
}
