// What the figure explains: asks where a number comes from and shows it in the breakdown, which is loaded with the first.
import type { Edit, Engine, Token } from '../engine/api';
import type { Explanation, Line } from '../engine/explanation';
import type { Words } from '../ui/words/words';
import type { BreakdownElement } from '../views/breakdown/element';
import { operandLines } from '../views/breakdown/rows';
import { type FigureQueries, runOf } from './queries';

export interface Asked {
  readonly engine: Engine;
  readonly queries: FigureQueries;
  readonly tokens: readonly Token[];
  /** The heads that are off in the run. */
  readonly edits: readonly Edit[];
  /** Cells as text; the last one is to be explained. Empty: none. */
  readonly path: readonly string[];
}

const loaded = (): boolean => customElements.get('hf-breakdown') !== undefined;

export class Explanations {
  readonly #element: BreakdownElement;
  readonly #changed: () => void;
  readonly #failed: (error: unknown) => void;
  #words: Words | null = null;
  #asked: Asked | null = null;
  #ids = '';
  #cell = '';
  #explanation: Explanation | null = null;
  #failure: string | null = null;

  /** `changed` is called when there is an explanation, or none any more; `failed` where none can be shown. */
  constructor(element: BreakdownElement, changed: () => void, failed: (error: unknown) => void) {
    this.#element = element;
    this.#changed = changed;
    this.#failed = failed;
  }

  /** Where the operands of the explained number stand; null while nothing is explained. */
  get operands(): readonly Line[] | null {
    return this.#explanation && operandLines(this.#explanation);
  }

  /** Null: there is nothing that could be explained. */
  update(asked: Asked | null, words: Words): void {
    const before = this.#asked;
    this.#asked = asked;
    this.#words = words;
    const ids = asked ? runOf(asked.tokens, asked.edits) : '';
    const cell = asked?.path.at(-1) ?? '';
    const other = asked?.queries !== before?.queries || ids !== this.#ids;
    if (other || cell !== this.#cell) {
      this.#ids = ids;
      this.#cell = cell;
      this.#failure = null;
      if (other || cell === '') this.#explanation = null;
      if (!asked || cell === '') before?.queries.endExplaining();
      else void this.#ask(asked, cell);
    }
    this.#show();
  }

  /** What was explained before stays in sight until the answer is there. */
  async #ask({ queries, tokens, edits }: Asked, cell: string): Promise<void> {
    const ids = this.#ids;
    const current = (): boolean => queries === this.#asked?.queries && ids === this.#ids && cell === this.#cell;
    try {
      await import('../views/breakdown/element');
    } catch (error) {
      if (current()) this.#failed(error);
      return;
    }
    this.#show();
    try {
      const explanation = await queries.explain(tokens, edits, cell);
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
    const [asked, words] = [this.#asked, this.#words];
    if (!words || !loaded()) return;
    if (!asked || asked.path.length === 0) {
      this.#element.show(null, words);
      return;
    }
    const { path, tokens, engine } = asked;
    const { blockCount: blocks, headDim } = engine.info.config;
    const names = { nodes: engine.info.nodes, blocks, headDim };
    const [explanation, failure] = [this.#explanation, this.#failure];
    this.#element.show({ path, explanation, failure, names, tokens }, words);
  }
}
