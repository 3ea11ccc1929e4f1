// A session of a panel's own, for the tokens and edits of the page: a panel asks behind the figure, for what it doesn't show.
import type { Engine, Session } from '../../engine/api';
import type { InsideView } from './panel';

export class OwnSession {
  #engine: Engine | null = null;
  #ids = '';
  #session: Promise<Session> | null = null;

  /** Follows the page to its model and tokens; whether they are others than before. */
  follow({ engine, tokens, edits }: InsideView): boolean {
    const numbers = tokens.map(({ id }) => id);
    const ids = `${numbers.join()}${JSON.stringify(edits)}`;
    if (engine === this.#engine && ids === this.#ids) return false;
    const kept = engine === this.#engine ? this.#session : null; // It ended with its engine.
    this.#engine = engine;
    this.#ids = ids;
    this.#session = (kept ?? engine.createSession()).then(async (session) => {
      await session.setTokens(numbers);
      await session.setEdits(edits);
      return session;
    });
    this.#session.catch(() => undefined); // Whoever asks for it is told.
    return true;
  }

  /** Frees what it holds; it can follow again. */
  close(): void {
    void this.#session?.then((session) => session.close()).catch(() => undefined);
    this.#session = null;
    this.#engine = null;
    this.#ids = '';
  }

  /** Rejects where the model has been closed. */
  async open(): Promise<Session> {
    if (!this.#session) throw new Error('no session: nothing is shown');
    return this.#session;
  }

  /** Says, whenever it is called, whether the page is still at the model and the tokens of now. */
  watch(): () => boolean {
    const session = this.#session;
    return () => session === this.#session;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
