// What each head writes into the logit of the likeliest next token: asked for when it is to light up the map.
import type { NextToken } from '../engine/api';
import type { Now } from './now';

const none: ReadonlyMap<string, number> = new Map();

export class Written {
  readonly #changed: () => void;
  #asked: { readonly run: string; heads: ReadonlyMap<string, number> } | null = null;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** By "block.head". */
  of(run: string): ReadonlyMap<string, number> {
    return this.#asked?.run === run ? this.#asked.heads : none;
  }

  forget(): void {
    this.#asked = null;
  }

  async ask({ queries, key, tokens }: Now, next: NextToken): Promise<void> {
    if (this.#asked?.run === key) return;
    const mine = { run: key, heads: none };
    this.#asked = mine;
    const answer = await queries.written(tokens.length - 1, next.id).catch(() => null);
    if (!answer || this.#asked !== mine) return;
    const heads = answer.parts.filter(({ source }) => source === 'head');
    mine.heads = new Map(heads.map(({ block, head, value }) => [`${block}.${head}`, value]));
    this.#changed();
  }
}
