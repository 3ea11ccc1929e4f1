// Where a model file's bytes come from: one interface for the network, a file and memory.

/** Pieces of a file, in order. Returning early ends the transfer. */
export type Pieces = AsyncGenerator<Uint8Array, void, void>;

export interface ByteStream {
  /** File offset of the first byte. */
  readonly begin: number;
  /** The whole file's size, where the source says it. */
  readonly fileSize: number | null;
  /** What tells this version of the file from a later one (an ETag, else Last-Modified); null where nothing does. */
  readonly version: string | null;
  readonly pieces: Pieces;
  /** The source could not read a part: these are all bytes of the file, from 0 on. */
  readonly whole?: boolean;
  /** How many bytes the answer has, where the source says that and hides the file's size. */
  readonly length?: number | null;
}

export interface ByteSource {
  /** For messages: what the user knows it by. */
  readonly name: string;
  /**
   * Bytes [begin, end), fewer where the file ends before; `end` may be Infinity, for the whole of a small file. A source
   * that cannot read parts answers with the whole file. Whoever opens a stream reads it to its end or returns its pieces.
   * Rejects with an EngineError.
   */
  open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream>;
}

/** A stream's pieces; not every browser can iterate over a ReadableStream itself. */
export async function* piecesOf(stream: ReadableStream<Uint8Array>): Pieces {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined); // A stream that has failed already has nothing to cancel.
  }
}

/**
 * The same pieces, whose `return` cancels what lies below also before the first of them was asked for: a generator that
 * was never started runs none of its own code then.
 */
export function cancelling(pieces: Pieces, cancel: () => unknown): Pieces {
  const next = pieces.next.bind(pieces);
  const end = pieces.return.bind(pieces);
  let started = false;
  return Object.assign(pieces, {
    next: () => {
      started = true;
      return next();
    },
    return: async () => {
      if (!started) await cancel();
      started = true;
      return end();
    },
  });
}

/** A stream of no bytes. */
export async function* nothing(): Pieces {}
