// A model file whose bytes are in memory already, handed out in pieces as a network would.
import type { ByteSource, ByteStream, Pieces } from './source';

export class MemorySource implements ByteSource {
  readonly name: string;
  readonly #bytes: Uint8Array;
  readonly #pieceSize: number;

  constructor(bytes: Uint8Array, name: string, pieceSize = 64 * 1024) {
    this.#bytes = bytes;
    this.name = name;
    this.#pieceSize = pieceSize;
  }

  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    signal.throwIfAborted();
    return {
      begin,
      fileSize: this.#bytes.length,
      version: null,
      pieces: this.#pieces(this.#bytes.subarray(begin, end)),
    };
  }

  async *#pieces(bytes: Uint8Array): Pieces {
    for (let begin = 0; begin < bytes.length; begin += this.#pieceSize) {
      yield bytes.subarray(begin, begin + this.#pieceSize);
    }
  }
}
