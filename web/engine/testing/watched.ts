// For tests: a model in memory that arrives piece by piece, records what is asked of it, and can be held back or fail.
import { setImmediate } from 'node:timers/promises';
import type { Range } from '../source/range';
import type { ByteSource, ByteStream, Pieces } from '../source/source';

/** Something to wait for, and what ends the wait. */
export class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

const PIECE = 16 * 1024;

export class WatchedSource implements ByteSource {
  readonly name = 'watched.gguf';
  readonly requests: Range[] = [];
  /** Awaited before each answer. */
  gate: () => Promise<void> = async () => undefined;
  readonly #bytes: Uint8Array;
  readonly #sizeIsKnown: boolean;

  constructor(bytes: Uint8Array, sizeIsKnown = true) {
    this.#bytes = bytes;
    this.#sizeIsKnown = sizeIsKnown;
  }

  async open(begin: number, end: number): Promise<ByteStream> {
    this.requests.push({ begin, end });
    await this.gate();
    const fileSize = this.#sizeIsKnown ? this.#bytes.length : null;
    return { begin, fileSize, version: null, pieces: this.#pieces(begin, end) };
  }

  async *#pieces(begin: number, end: number): Pieces {
    const last = Math.min(end, this.#bytes.length);
    for (let offset = begin; offset < last; offset += PIECE) {
      await setImmediate();
      yield this.#bytes.subarray(offset, Math.min(last, offset + PIECE));
    }
  }
}
