// For tests: a file on a server that isn't there, which counts what it is asked for and can change, fail or be gone.
import { EngineError } from '../errors';
import type { Range } from '../source/range';
import type { ByteSource, ByteStream, Pieces } from '../source/source';

const PIECE = 16 * 1024;

export class ServedFile implements ByteSource {
  readonly name = 'https://example.org/model.gguf';
  readonly requests: Range[] = [];
  bytes: Uint8Array;
  version: string | null = '"1"';
  /** Whether its answers say how long the file is. */
  saysSize = true;
  ranges = true;
  reachable = true;
  /** The connection breaks off before this offset. */
  breaksAt = Number.POSITIVE_INFINITY;

  breaksWith = this.#failure();

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Bytes of all answers, as far as they were asked for. */
  get asked(): number {
    return this.requests.reduce((sum, { begin, end }) => sum + end - begin, 0);
  }

  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    signal.throwIfAborted();
    this.requests.push({ begin, end });
    if (!this.reachable) throw this.#failure();
    const [from, to] = this.ranges ? [begin, Math.min(end, this.bytes.length)] : [0, this.bytes.length];
    if (from >= this.bytes.length) throw new EngineError('truncated', `the file ends before byte ${from}`);
    const fileSize = this.saysSize ? this.bytes.length : null;
    const stream = { begin: from, fileSize, version: this.version, pieces: this.#pieces(from, to) };
    return this.ranges ? stream : { ...stream, whole: true };
  }

  async *#pieces(begin: number, end: number): Pieces {
    for (let at = begin; at < end; at += PIECE) {
      if (at >= this.breaksAt) throw this.breaksWith;
      yield this.bytes.slice(at, Math.min(at + PIECE, end));
    }
  }

  #failure(): EngineError {
    return new EngineError('network', `${this.name}: could not be read`);
  }
}
