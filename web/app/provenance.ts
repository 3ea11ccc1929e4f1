// What the page explains: asks where a number comes from and shows it in the breakdown.
// It asks in a session of its own, since the figure's session keeps its block traced.
import type { Engine, Session, Token } from '../engine/api';
import type { Explanation, Line } from '../engine/explanation';
import type { Words } from '../ui/words/words';
import type { BreakdownElement } from '../views/breakdown/element';
import { operandLines } from '../views/breakdown/rows';

export interface Asked {
  readonly engine: Engine;
  readonly tokens: readonly Token[];
  /** Cells as text; the last one is to be explained. Empty: none. */
  readonly trail: readonly string[];
}

export class Provenance {
  readonly #element: BreakdownElement;
  readonly #words: Words;
  readonly #changed: () => void;
  #engine: Engine | null = null;
  #session: Promise<Session> | null = null;
  #ids = '';
  #key = '';
  #asked: Asked | null = null;
  #explanation: Explanation | null = null;
  #failure: string | null = null;

  /** `changed` is called when there is an explanation, or none any more. */
  constructor(element: BreakdownElement, words: Words, changed: () => void) {
    this.#element = element;
    this.#words = words;
    this.#changed = changed;
  }

  /** Where the operands of the explained number stand; null while nothing is explained. */
  get operands(): readonly Line[] | null {
    return this.#explanation && operandLines(this.#explanation);
  }

  update(asked: Asked): void {
    this.#asked = asked;
    if (asked.engine !== this.#engine) {
      this.#engine = asked.engine;
      this.#session = null; // It ended with its engine.
      this.#ids = '';
      this.#key = '';
    }
    const cell = asked.trail.at(-1) ?? '';
    const ids = asked.tokens.map(({ id }) => id).join();
    const key = `${ids}|${cell}`;
    if (key !== this.#key) {
      this.#key = key;
      this.#failure = null;
      if (cell === '' || ids !== this.#ids) this.#explanation = null;
      if (cell !== '') void this.#ask(asked.engine, ids, cell, () => key === this.#key);
    }
    this.#show();
  }

  /** What was explained before stays in sight until the answer is there. */
  async #ask(engine: Engine, ids: string, cell: string, current: () => boolean): Promise<void> {
    try {
      this.#session ??= engine.createSession();
      const session = await this.#session;
      if (!current()) return;
      if (ids !== this.#ids) {
        this.#ids = ids;
        await session.setTokens(ids.split(',').map(Number));
      }
      const explanation = await session.explain(cell);
      if (!current()) return;
      this.#explanation = explanation;
    } catch (error) {
      if (!current()) return;
      this.#explanation = null;
      this.#failure = error instanceof Error ? error.message : String(error);
    }
    this.#show();
    this.#changed();
  }

  #show(): void {
    const { trail, engine, tokens } = this.#asked ?? {};
    if (!trail || !engine || !tokens || trail.length === 0) {
      this.#element.show(null, this.#words);
      return;
    }
    const { blockCount: blocks, headDim } = engine.info.config;
    const names = { nodes: engine.info.nodes, blocks, headDim };
    const failure = this.#failure;
    this.#element.show({ trail, explanation: this.#explanation, failure, names, tokens }, this.#words);
  }
}
