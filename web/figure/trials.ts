// "Try each head": the results of one run's heads, each switched off alone, and how far that is.
import type { QueryAnswer } from '../engine/head-queries';

export interface Trial {
  /** Heads that were tried; null once all were, or it was stopped. */
  readonly done: number | null;
  /** Seconds since it began, as of the last head. */
  readonly elapsed: number;
  readonly answer: QueryAnswer<'HeadEffects'> | null;
}

const none: Trial = { done: null, elapsed: 0, answer: null };

export class Trials {
  readonly #changed: () => void;
  /** The run that the trial is of. */
  #key = '';
  #trial = none;
  #running: symbol | null = null;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Of the run of this name; of any other nothing is known. */
  of(key: string): Trial {
    return key === this.#key ? this.#trial : none;
  }

  async run(
    key: string,
    ask: (progress: (done: number) => void) => Promise<QueryAnswer<'HeadEffects'>>,
  ): Promise<void> {
    const mine = Symbol('trial');
    this.#running = mine;
    this.#key = key;
    const tell = (trial: Trial): void => {
      if (this.#running !== mine) return;
      this.#trial = trial;
      this.#changed();
    };
    const since = performance.now();
    const elapsed = () => (performance.now() - since) / 1000;
    tell({ done: 0, elapsed: 0, answer: null });
    try {
      const answer = await ask((done) => tell({ done, elapsed: elapsed(), answer: null }));
      tell({ done: null, elapsed: elapsed(), answer });
    } catch {
      tell(none); // Another prompt, or other heads: the figure goes on with those.
    }
    if (this.#running === mine) this.#running = null; // What is told of its progress may come after its answer.
  }

  stop(): void {
    this.#running = null;
    this.#trial = none;
    this.#changed();
  }

  forget(): void {
    this.#running = null;
    this.#key = '';
    this.#trial = none;
  }
}
