// A source that tries again: a transfer that breaks off or stalls goes on where it stopped.
import { EngineError, isEngineFailure } from '../errors';
import { type ByteSource, type ByteStream, cancelling, type Pieces } from './source';

export interface Patience {
  /** Milliseconds before each new try; after the last one the failure is final. Any byte starts anew. */
  readonly delays: readonly number[];
  /** Milliseconds without a byte after which a transfer counts as broken off. */
  readonly stall: number;
}

const PATIENCE: Patience = { delays: [500, 1000, 2000, 4000], stall: 10_000 };

/** Failures that may be gone in a moment. */
const PASSING = new Set(['network', 'server', 'stalled', 'short']);
const passing = (error: unknown): boolean => isEngineFailure(error) && PASSING.has(error.code);

export class RetryingSource implements ByteSource {
  readonly name: string;
  readonly #source: ByteSource;
  readonly #onTrouble: (failure: string | null) => void;
  readonly #patience: Patience;

  /** `onTrouble` hears what failed while it is being tried again, and null once bytes come. */
  constructor(source: ByteSource, onTrouble: (failure: string | null) => void, patience = PATIENCE) {
    this.name = source.name;
    this.#source = source;
    this.#onTrouble = onTrouble;
    this.#patience = patience;
  }

  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    const tries = new Tries(this.#patience.delays, this.#onTrouble, signal);
    const open = (at: number): Promise<Attempt> =>
      tries.until(() => Attempt.start(this.#source, at, end, signal, this.#patience.stall));
    const first = await open(begin);
    return { ...first.stream, pieces: cancelling(this.#pieces(first, end, tries, open), () => first.end()) };
  }

  async *#pieces(first: Attempt, end: number, tries: Tries, open: (at: number) => Promise<Attempt>): Pieces {
    let attempt = first;
    let at = first.stream.begin;
    for (;;) {
      try {
        for await (const piece of attempt.pieces(at)) {
          tries.start();
          at += piece.length;
          yield piece;
        }
        const expected = endOf(attempt.stream, end);
        if (at >= (expected ?? 0)) return;
        throw new EngineError(
          'short',
          `${this.name}: the answer ended at byte ${at}, expected byte ${expected}. Is the file complete?`,
        );
      } catch (error) {
        await tries.again(error);
        attempt = await open(at);
      }
    }
  }
}

/** The file offset where an answer to a request that ends at `end` must end; null where nothing says so. */
function endOf({ begin, fileSize, whole, length }: ByteStream, end: number): number | null {
  if (whole) return fileSize;
  if (fileSize === null && length != null) return Math.min(end, begin + length);
  return Math.min(end, fileSize ?? end);
}

/** Counts failures in a row. */
class Tries {
  #failed = 0;
  readonly #delays: readonly number[];
  readonly #onTrouble: (failure: string | null) => void;
  readonly #signal: AbortSignal;

  constructor(delays: readonly number[], onTrouble: (failure: string | null) => void, signal: AbortSignal) {
    this.#delays = delays;
    this.#onTrouble = onTrouble;
    this.#signal = signal;
  }

  start(): void {
    if (this.#failed > 0) this.#onTrouble(null);
    this.#failed = 0;
  }

  /** Waits before the next try; throws where there is none. */
  async again(error: unknown): Promise<void> {
    const delay = this.#delays[this.#failed];
    if (this.#signal.aborted || !passing(error) || delay === undefined) throw error;
    ++this.#failed;
    this.#onTrouble((error as Error).message);
    await pause(delay, this.#signal);
  }

  async until<T>(act: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        await this.again(error);
      }
    }
  }
}

/** One request, which ends when no byte comes for too long. */
class Attempt {
  readonly stream: ByteStream;
  readonly #ending: AbortController;
  readonly #stall: number;
  readonly #name: string;

  private constructor(stream: ByteStream, ending: AbortController, stall: number, name: string) {
    this.stream = stream;
    this.#ending = ending;
    this.#stall = stall;
    this.#name = name;
  }

  static async start(
    source: ByteSource,
    begin: number,
    end: number,
    signal: AbortSignal,
    stall: number,
  ): Promise<Attempt> {
    const ending = new AbortController();
    const both = AbortSignal.any([signal, ending.signal]);
    const stream = await inTime(source.open(begin, end, both), ending, stall, source.name);
    return new Attempt(stream, ending, stall, source.name);
  }

  /** What comes from the file offset `from` on. */
  async *pieces(from: number): Pieces {
    const { begin, pieces } = this.stream;
    let position = begin;
    try {
      for (;;) {
        const { done, value } = await inTime(pieces.next(), this.#ending, this.#stall, this.#name);
        if (done) return;
        const known = Math.max(0, from - position);
        position += value.length;
        if (known < value.length) yield value.subarray(known);
      }
    } finally {
      await this.end();
    }
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.stream.pieces.return();
  }
}

/** What `work` gives, or the failure 'stalled' once it has taken too long; then `ending` is aborted. */
function inTime<T>(work: Promise<T>, ending: AbortController, stall: number, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const seconds = stall / 1000;
    const stalled = new EngineError(
      'stalled',
      `${name}: nothing has come for ${seconds} seconds. Check the connection.`,
    );
    const timer = setTimeout(() => {
      reject(stalled);
      ending.abort(stalled);
    }, stall);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}
