// A model file of the user's own: nothing is read but the slices that are asked for.
import { EngineError } from '../errors';
import { type ByteSource, type ByteStream, type Pieces, piecesOf } from './source';

export class BlobSource implements ByteSource {
  readonly name: string;
  readonly #blob: Blob;

  constructor(blob: Blob, name: string) {
    this.#blob = blob;
    this.name = name;
  }

  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    signal.throwIfAborted();
    return { begin, fileSize: this.#blob.size, version: null, pieces: this.#pieces(begin, end) };
  }

  async *#pieces(begin: number, end: number): Pieces {
    try {
      yield* piecesOf(this.#blob.slice(begin, end).stream());
    } catch (error) {
      throw new EngineError(
        'unreadable',
        `${this.name}: could not be read. Was it moved or changed? Choose it again.`,
        {
          cause: error,
        },
      );
    }
  }
}
