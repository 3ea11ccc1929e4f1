// From where a model is read to the source of its bytes, with what is known of their way here.
import type { Keeping, ModelSource } from '../api';
import { CachedSource } from '../cache/cached-source';
import { FileCache } from '../cache/file-cache';
import { openEntry } from '../cache/open';
import { isEngineFailure } from '../errors';
import { BlobSource } from '../source/blob';
import type { Manifest } from '../source/manifest';
import { RetryingSource } from '../source/retrying';
import { ShardSource, sourceAt } from '../source/shards';
import { type ByteSource, nothing } from '../source/source';
import { Traffic } from '../source/traffic';
import { UrlSource } from '../source/url';

const UNREACHABLE = new Set(['network', 'stalled', 'server']);

export interface Transport {
  readonly source: ByteSource;
  readonly traffic: Traffic;
  /** What the bytes should be; null where no manifest says so. */
  manifest(signal: AbortSignal): Promise<Manifest | null>;
  /** What keeps the bytes for the next visit, where they are not at hand anyway. */
  readonly kept?: CachedSource;
  /** Whether the bytes are kept for the next visit. */
  keeping(): Keeping;
  /** Hears what failed while it is being tried again, and null once bytes come. */
  onTrouble: (failure: string | null) => void;
}

/** Bytes that need no way: of memory, or of a file of the user's own. */
export function directly(source: ByteSource): Transport {
  return {
    source,
    traffic: new Traffic(),
    manifest: async () => null,
    keeping: () => ({ state: 'off', reason: 'file' }),
    onTrouble: () => undefined,
  };
}

export function transportOf(from: ModelSource): Transport {
  if (from.kind === 'file') return directly(new BlobSource(from.file, from.file.name));
  const traffic = new Traffic();
  const source = sourceAt(
    from.url,
    (url) => new RetryingSource(new UrlSource(url, traffic), (failure) => transport.onTrouble(failure)),
  );
  const shards = source instanceof ShardSource ? source : null;
  const check = shards === null ? new UrlSource(from.url, traffic) : byManifest(shards);
  const kept = new CachedSource(source, check, new FileCache(() => openEntry(from.url)));
  const transport: Transport = {
    source: kept,
    kept,
    traffic,
    manifest: async (signal) => shards && manifestOf(shards, signal),
    keeping: () => kept.keeping,
    onTrouble: () => undefined,
  };
  return transport;
}

/** Null too where its server cannot be reached: a kept tensor was compared when it came, and no other can come now. */
async function manifestOf(shards: ShardSource, signal: AbortSignal): Promise<Manifest | null> {
  if (globalThis.navigator?.onLine === false) return null;
  try {
    return await shards.manifest(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isEngineFailure(error) && UNREACHABLE.has(error.code)) return null;
    throw error;
  }
}

/** Says which version of a file a manifest is of, and nothing of its bytes: their hashes are compared anyway. */
function byManifest(shards: ShardSource): ByteSource {
  return {
    name: shards.name,
    async open(begin, _, signal) {
      const { size, sha256 } = await shards.manifest(signal);
      return { begin, fileSize: size, version: sha256, pieces: nothing() };
    },
  };
}
