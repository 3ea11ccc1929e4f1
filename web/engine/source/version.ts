// Holds a file on a server to one version. Another validator (ETag, else Last-Modified) alone does not say that the file is
// another one: servers behind one address give different tags to the same bytes. Bytes that came before decide.
import { EngineError } from '../errors';
import { type ByteSource, type ByteStream, cancelling, type Pieces } from './source';
import { changed } from './url';

/** Bytes of a file that are known, from a file offset on. */
export interface Stretch {
  readonly begin: number;
  readonly bytes: Uint8Array;
}

/** As long as these are the stretches that are remembered, ... */
const LENGTH = 4096;
/** ... at most so many of them, beside the last bytes that came. */
const MOST = 8;
/** How far apart they are within one stream. */
const APART = 1024 * 1024;
/** How often another answer is asked for where several servers take turns. */
const TURNS = 4;

export class VersionedSource implements ByteSource {
  readonly name: string;
  readonly #source: ByteSource;
  readonly #versions = new Set<string>();
  #stretches: Stretch[] = [];
  #last: Stretch | null = null;
  #version: string | null = null;
  #confirmed = true;

  constructor(source: ByteSource) {
    this.name = source.name;
    this.#source = source;
  }

  /** Whether every answer was of the version that was opened; false where only bytes that were compared say so. */
  get confirmed(): boolean {
    return this.#confirmed;
  }

  /** The file is the one that these versions are of, and these bytes. */
  expect(versions: readonly (string | null)[], stretches: readonly Stretch[]): void {
    for (const version of versions) if (version !== null) this.#versions.add(version);
    this.#version ??= versions[0] ?? null;
    this.#confirmed &&= this.#versions.size < 2;
    this.#stretches.push(...stretches);
  }

  /** As of the source below; the version is the first that was seen. Rejects with code "changed". */
  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    const stream = await this.#source.open(begin, end, signal);
    const comparing = this.#isNew(stream.version);
    try {
      if (comparing && !stream.whole) await this.#compare(stream.version, signal);
    } catch (error) {
      await stream.pieces.return();
      throw error;
    }
    if (!comparing || !stream.whole) this.#accept(stream.version);
    const pieces = this.#pieces(stream, comparing && stream.whole === true);
    const version = stream.version === null ? null : this.#version;
    return { ...stream, version, pieces: cancelling(pieces, () => stream.pieces.return()) };
  }

  #isNew(version: string | null): boolean {
    return version !== null && this.#versions.size > 0 && !this.#versions.has(version);
  }

  #accept(version: string | null): void {
    if (version === null) return;
    if (this.#isNew(version)) this.#confirmed = false;
    this.#versions.add(version);
    this.#version ??= version;
  }

  /** Throws unless the server has the known bytes under its new version, too. */
  async #compare(version: string | null, signal: AbortSignal): Promise<void> {
    const known = [...this.#stretches, ...(this.#last ? [this.#last] : [])];
    const some = new Set([known[0], known[known.length >> 1], known.at(-1)]);
    for (const stretch of some) {
      if (stretch !== undefined) await this.#compareStretch(stretch, version, signal);
    }
  }

  async #compareStretch({ begin, bytes }: Stretch, version: string | null, signal: AbortSignal): Promise<void> {
    for (let turn = 0; turn < TURNS; ++turn) {
      const stream = await this.#source.open(begin, begin + bytes.length, signal);
      try {
        if (stream.version !== version) continue;
        let at = stream.begin;
        for await (const piece of stream.pieces) {
          if (!agree(piece, at, { begin, bytes })) throw changed(this.name);
          at += piece.length;
          if (at >= begin + bytes.length) return;
        }
        throw changed(this.name);
      } finally {
        await stream.pieces.return();
      }
    }
    const got = 'its server answers with several versions in turn, which could not be compared';
    throw new EngineError('server', `${this.name}: ${got}. Try again in a moment.`);
  }

  /** Remembers some of what passes. `comparing`: what is known already must be the same. */
  async *#pieces({ begin, version, pieces }: ByteStream, comparing: boolean): Pieces {
    let at = begin;
    let next = begin;
    for await (const piece of pieces) {
      if (comparing) {
        for (const known of this.#stretches) if (!agree(piece, at, known)) throw changed(this.name);
        this.#confirmed = false;
      }
      if (at >= next) {
        this.#remember({ begin: at, bytes: piece.slice(0, LENGTH) });
        next = at + APART;
      }
      const tail = Math.max(0, piece.length - LENGTH);
      this.#last = { begin: at + tail, bytes: piece.slice(tail) };
      at += piece.length;
      yield piece;
    }
    if (comparing) this.#accept(version);
  }

  /** The first stays, then the oldest goes. */
  #remember(stretch: Stretch): void {
    if (this.#stretches.length >= MOST) this.#stretches.splice(1, 1);
    this.#stretches.push(stretch);
  }
}

/** Whether a piece from file offset `at` on has the known bytes, as far as they lie in it. */
function agree(piece: Uint8Array, at: number, { begin, bytes }: Stretch): boolean {
  const last = Math.min(at + piece.length, begin + bytes.length);
  for (let i = Math.max(at, begin); i < last; ++i) if (piece[i - at] !== bytes[i - begin]) return false;
  return true;
}
