// A model file in pieces on a web server, or whole with hashes beside it, as its manifest says: read like one file.
import { EngineError } from '../errors';
import { isManifestUrl, type Manifest, parseManifest } from './manifest';
import { type ByteSource, type ByteStream, cancelling, nothing, type Pieces } from './source';

/** Reads one file of a server. */
export type OpenUrl = (url: string) => ByteSource;

interface Shard {
  readonly source: ByteSource;
  /** Its bytes of the model file: [begin, end). */
  readonly begin: number;
  readonly end: number;
}

const LARGEST_MANIFEST = 4 * 1024 * 1024;

/** What reads the file at `url`: all of it there, or as the manifest there says. */
export function sourceAt(url: string, open: OpenUrl): ByteSource {
  return isManifestUrl(url) ? new ShardSource(url, open) : open(url);
}

export class ShardSource implements ByteSource {
  /** The manifest's address. */
  readonly name: string;
  readonly #open: OpenUrl;
  readonly #openOnce: OpenUrl;
  /** The manifest, once it has been read. */
  known: Manifest | null = null;
  #manifest: Promise<Manifest> | null = null;
  #shards: readonly Shard[] = [];

  /** `openOnce`: what reads the manifest where nobody should wait for a server that does not answer. */
  constructor(manifestUrl: string, open: OpenUrl, openOnce = open) {
    this.name = manifestUrl;
    this.#open = open;
    this.#openOnce = openOnce;
  }

  /** Read once; after a failure it is tried again. */
  manifest(signal: AbortSignal): Promise<Manifest> {
    this.#manifest ??= this.#readManifest(this.#open, signal).catch((error) => {
      this.#manifest = null;
      throw error;
    });
    return this.#manifest;
  }

  /** As `manifest`, but tried a single time. */
  async manifestOnce(signal: AbortSignal): Promise<Manifest> {
    return this.known ?? this.#readManifest(this.#openOnce, signal);
  }

  /** The file's version is its hash. */
  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    const { size, sha256 } = await this.manifest(signal);
    const last = Math.min(end, size);
    const index = this.#shards.findIndex((shard) => begin < shard.end);
    const shard = this.#shards[index];
    if (shard === undefined || begin >= last) {
      return { begin, fileSize: size, version: sha256, pieces: nothing() };
    }
    const first = await openShard(shard, begin, last, signal);
    return {
      begin: shard.begin + first.begin,
      fileSize: size,
      version: sha256,
      pieces: cancelling(this.#pieces(index, first, last, signal), () => first.pieces.return()),
      ...(this.#shards.length === 1 && first.whole ? { whole: true } : {}),
    };
  }

  async #readManifest(open: OpenUrl, signal: AbortSignal): Promise<Manifest> {
    if (this.known !== null) return this.known;
    const text = await readText(open(this.name), signal);
    const manifest = parseManifest(text, this.name);
    if (this.known !== null) return this.known; // Another reader was sooner.
    let begin = 0;
    this.#shards = manifest.pieces.map(({ name, size }) => {
      const source = this.#open(new URL(encodeURIComponent(name), this.name).href);
      const shard = { source, begin, end: begin + size };
      begin += size;
      return shard;
    });
    this.known = manifest;
    return manifest;
  }

  /** From shard `index` on, whose stream has been opened. */
  async *#pieces(index: number, first: ByteStream, end: number, signal: AbortSignal): Pieces {
    let stream = first;
    for (let i = index; ; ++i) {
      const shard = this.#shards[i] as Shard;
      yield* whole(shard, stream, Math.min(shard.end, end));
      const next = this.#shards[i + 1];
      if (next === undefined || next.begin >= end) return;
      stream = await openShard(next, next.begin, end, signal);
    }
  }
}

/** Opens a shard at the model file's bytes [begin, end), as far as they lie in it. */
async function openShard(shard: Shard, begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
  const stream = await shard.source.open(begin - shard.begin, Math.min(end, shard.end) - shard.begin, signal);
  const expected = shard.end - shard.begin;
  if (stream.fileSize === null || stream.fileSize === expected) return stream;
  await stream.pieces.return();
  throw wrongSize(shard, `a file of ${stream.fileSize} bytes`);
}

/** All that a shard's stream has, which must reach the model file's byte `end` and not go beyond the shard. */
async function* whole(shard: Shard, { begin, pieces }: ByteStream, end: number): Pieces {
  let at = shard.begin + begin;
  for await (const bytes of pieces) {
    at += bytes.length;
    if (at > shard.end) throw wrongSize(shard, `more than ${shard.end - shard.begin} bytes`);
    yield bytes;
  }
  if (at >= end) return;
  const got = `the answer ended at byte ${at - shard.begin}, expected byte ${end - shard.begin}`;
  throw new EngineError('short', `${shard.source.name}: ${got}. Is the file complete?`);
}

function wrongSize({ source, begin, end }: Shard, got: string): EngineError {
  const expected = `expected ${end - begin}, as its manifest says. Were all files uploaded from one run?`;
  return new EngineError('changed', `${source.name}: got ${got}, ${expected}`);
}

/** A small text file, asked for as a whole: its server may hide from the page what a range is of. */
async function readText(source: ByteSource, signal: AbortSignal): Promise<string> {
  const { begin, fileSize, pieces } = await source.open(0, Number.POSITIVE_INFINITY, signal);
  const decoder = new TextDecoder();
  let text = '';
  let size = begin;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > LARGEST_MANIFEST) break;
    text += decoder.decode(piece, { stream: true });
  }
  if (size > LARGEST_MANIFEST || (fileSize ?? 0) > LARGEST_MANIFEST) {
    const expected = `expected a manifest of at most ${LARGEST_MANIFEST} bytes. Check the address.`;
    throw new EngineError('malformed', `${source.name}: got a larger file, ${expected}`);
  }
  if (fileSize !== null && size < fileSize) {
    throw new EngineError('short', `${source.name}: the answer ended at byte ${size}, expected byte ${fileSize}.`);
  }
  return text + decoder.decode();
}
