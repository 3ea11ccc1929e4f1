// The tokens of a figure's prompt. They are asked for when the prompt changes; until they come, those before are known.
import type { Engine, Token } from '../engine/api';
import { wellFormed } from '../ui/tokens';

export interface PromptText {
  readonly engine: Engine;
  readonly prompt: string;
  readonly tokens: readonly Token[];
  /** The first so many tokens, which fit the context. */
  readonly used: number;
}

export interface PromptEvents {
  tokens(): void;
  failure(error: unknown): void;
}

export class PromptTokens {
  readonly #events: PromptEvents;
  #latest: PromptText | null = null;
  /** The prompt that was tokenized last, or is being tokenized. */
  #asked: { readonly prompt: string } | null = null;

  constructor(events: PromptEvents) {
    this.#events = events;
  }

  /** The last that came, perhaps of another prompt or model than is wanted now. */
  get latest(): PromptText | null {
    return this.#latest;
  }

  /** Whether a prompt was asked for, and nothing has failed. */
  get asked(): boolean {
    return this.#asked !== null;
  }

  /** Another engine: what was asked of the one before counts no more. */
  forget(): void {
    this.#asked = null;
  }

  async ask(engine: Engine, prompt: string): Promise<void> {
    if (this.#asked?.prompt === prompt) return;
    const mine = { prompt };
    this.#asked = mine;
    try {
      const tokens = await engine.tokenize(wellFormed(prompt));
      if (this.#asked !== mine) return;
      const used = Math.min(tokens.length, engine.info.config.contextLength);
      this.#latest = { engine, prompt, tokens, used };
      this.#events.tokens();
    } catch (error) {
      if (this.#asked !== mine) return;
      this.#asked = null;
      this.#events.failure(error);
    }
  }
}
