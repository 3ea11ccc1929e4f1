// What may be loaded without asking. A page of its own loads all of a model in the end; a frame in somebody else's page,
// and a reader who saves data, get what is shown, and everything more for a click that states its size.

import type { Stage } from '../engine/api';
import type { Allowed } from '../figure/queries';
import type { LoadChoice, ViewState } from '../ui/state';

interface Surroundings {
  /** The page stands in a frame of another. */
  readonly framed: boolean;
  readonly savesData: boolean;
}

const surroundings = (): Surroundings => ({
  framed: window.parent !== window,
  savesData: (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true,
});

export const loadsAll = (choice: LoadChoice, { framed, savesData }: Surroundings): boolean =>
  choice === 'auto' ? !framed && !savesData : choice === 'all';

export class Consent {
  readonly #around: Surroundings;
  #model: string | null = null;
  #block = 0;
  #answer = false;

  constructor(around = surroundings()) {
    this.#around = around;
  }

  /** A file of the reader's own is no transfer, so that all of it may be read. */
  allowed({ model, block, load }: ViewState, own: boolean): Allowed {
    if (model !== this.#model) {
      this.#model = model;
      this.#block = block; // The first view of a model is what is shown.
      this.#answer = false;
    }
    const all = own || loadsAll(load, this.#around);
    return all ? { block: Number.POSITIVE_INFINITY, answer: true } : { block: this.#block, answer: this.#answer };
  }

  /** The reader has agreed to load what `goal` needs. */
  allow(goal: Stage): void {
    if (goal.kind === 'logits') this.#answer = true;
    this.#block = Math.max(this.#block, goal.kind === 'logits' ? Number.POSITIVE_INFINITY : goal.block);
  }
}
