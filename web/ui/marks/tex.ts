// The engine's symbols, in TeX notation, as formulas: "Z_l W_{QKV} + b_{QKV}", "\hat{X}_l", "Q_h K_h^\top / \sqrt{D_h}".
import { type Maths, mi, mn, mo, mtext, root, row, sub, subsup, sup } from './math';

const commands: Readonly<Record<string, Maths>> = {
  top: mo('⊤'),
  odot: mo('⊙'),
  cdot: mo('·'),
};

class Reader {
  readonly #tokens: readonly string[];
  readonly #letters: Readonly<Record<string, Maths>>;
  #at = 0;

  constructor(tex: string, letters: Readonly<Record<string, Maths>>) {
    this.#tokens = tex.match(/\\[a-z]+|[A-Za-z]+|\d+|\S/g) ?? [];
    this.#letters = letters;
  }

  /** Up to a closing brace, or the end. */
  sequence(): Maths {
    const parts: Maths[] = [];
    while (this.#at < this.#tokens.length && this.#tokens[this.#at] !== '}') parts.push(this.#scripted());
    const [only] = parts;
    return parts.length === 1 && only ? only : row(...parts);
  }

  #take(): string {
    return this.#tokens[this.#at++] ?? '';
  }

  #accept(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #group(): Maths {
    if (!this.#accept('{')) return this.#atom();
    const inside = this.sequence();
    this.#take();
    return inside;
  }

  #scripted(): Maths {
    const base = this.#atom();
    const low = this.#accept('_') ? this.#group() : null;
    const high = this.#accept('^') ? this.#group() : null;
    if (low && high) return subsup(base, low, high);
    if (low) return sub(base, low);
    return high ? sup(base, high) : base;
  }

  #atom(): Maths {
    const token = this.#take();
    if (token === '\\sqrt') return root(this.#group());
    if (token === '\\hat') {
      this.#take();
      const letter = this.#take();
      this.#take();
      return mi(`${letter}\u0302`);
    }
    if (token.startsWith('\\')) return commands[token.slice(1)] ?? mtext(token.slice(1));
    if (/^\d/.test(token)) return mn(token);
    if (/^[A-Za-z]$/.test(token)) return this.#letters[token] ?? mi(token);
    if (/^[A-Za-z]/.test(token)) return mtext(token);
    return mo(token);
  }
}

/** `letters`: what stands for a letter, as the block's number for l. */
export const parseTex = (tex: string, letters: Readonly<Record<string, Maths>> = {}): Maths =>
  new Reader(tex, letters).sequence();
