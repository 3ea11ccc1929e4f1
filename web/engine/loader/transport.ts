// From where a model is read to the source of its bytes, with what is known of their way here.
import type { Keeping, ModelSource } from '../api';
import { CachedSource } from '../cache/cached-source';
import { FileCache } from '../cache/file-cache';
import { openEntry } from '../cache/open';
import { EngineError } from '../errors';
import { BlobSource } from '../source/blob';
import { isManifestName, isManifestUrl, type Manifest } from '../source/manifest';
import { RetryingSource } from '../source/retrying';
import { ShardSource } from '../source/shards';
import { type ByteSource, nothing } from '../source/source';
import { Traffic } from '../source/traffic';
import { RangePolicy, UrlSource } from '../source/url';
import { VersionedSource } from '../source/version';

export interface Transport {
  readonly source: ByteSource;
  readonly traffic: Traffic;
  /** What the bytes should be; null where no manifest says so, or where it can't be had now. */
  manifest(signal: AbortSignal): Promise<Manifest | null>;
  /** Where a manifest can't be had when the model is opened: what it says, once it has come. */
  readonly late?: LateManifest;
  /** What keeps the bytes for the next visit, where they are not at hand anyway. */
  readonly kept?: CachedSource;
  /** Whether the bytes are kept for the next visit. */
  keeping(): Keeping;
  /** An answer with the whole file may be read from now on, where parts were sent before. */
  allowWhole?(): void;
  /** Hears what failed while it is being tried again, and null once bytes come. */
  onTrouble: (failure: string | null) => void;
}

export interface LateManifest {
  /** The manifest, if it has come. */
  known(): Manifest | null;
  /** Asks for it; rejects where it can't be had. */
  ask(signal: AbortSignal): Promise<Manifest>;
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
  if (from.kind === 'files') return ofFiles(from.files);
  return isManifestUrl(from.url) ? byManifest(from.url) : byAddress(from.url);
}

/** One file on a server. */
function byAddress(url: string): Transport {
  const [traffic, policy] = [new Traffic(), new RangePolicy()];
  const versions = new VersionedSource(new UrlSource(url, traffic, policy));
  const retrying = new RetryingSource(versions, (failure) => transport.onTrouble(failure));
  const cache = new FileCache(() => openEntry(url));
  const kept = new CachedSource(retrying, new UrlSource(url, traffic), cache, versions);
  const transport: Transport = {
    source: kept,
    kept,
    traffic,
    manifest: async () => null,
    keeping: () => kept.keeping,
    allowWhole: () => {
      policy.wholeAllowed = true;
    },
    onTrouble: () => undefined,
  };
  return transport;
}

/** A file as a manifest on a server says: its hashes tell one version from another, whatever validators say. */
function byManifest(url: string): Transport {
  const [traffic, policy] = [new Traffic(), new RangePolicy()];
  const once = (address: string) => new UrlSource(address, traffic, policy);
  const open = (address: string) => new RetryingSource(once(address), (failure) => transport.onTrouble(failure));
  const shards = new ShardSource(url, open, once);
  const kept = new CachedSource(shards, versionOf(shards), new FileCache(() => openEntry(url)));
  const transport: Transport = {
    source: kept,
    kept,
    traffic,
    // What is kept opens without it.
    manifest: async (signal) => ((await kept.isKnown(signal)) ? shards.known : shards.manifest(signal)),
    late: { known: () => shards.known, ask: (signal) => shards.manifestOnce(signal) },
    keeping: () => kept.keeping,
    allowWhole: () => {
      policy.wholeAllowed = true;
    },
    onTrouble: () => undefined,
  };
  return transport;
}

/** Says which version of a file a manifest is of, and nothing of its bytes: their hashes are compared anyway. */
function versionOf(shards: ShardSource): ByteSource {
  return {
    name: shards.name,
    async open(begin, _, signal) {
      const { size, sha256 } = await shards.manifestOnce(signal);
      return { begin, fileSize: size, version: sha256, pieces: nothing() };
    },
  };
}

/** A manifest and its pieces, as files of the user's own. */
function ofFiles(files: readonly File[]): Transport {
  const manifest = files.find(({ name }) => isManifestName(name));
  if (manifest === undefined) {
    const got = `got ${files.length} files without one, expected a manifest (.json) and its pieces`;
    throw new EngineError('bad_argument', `${files[0]?.name ?? 'files'}: ${got}. Choose one model file.`);
  }
  const base = 'file:///';
  const open = (address: string): ByteSource => {
    const name = decodeURIComponent(address.slice(base.length));
    const file = files.find((one) => one.name === name);
    if (file !== undefined) return new BlobSource(file, name);
    const message = `${manifest.name}: its piece ${name} is not among the files. Choose all of them together.`;
    return { name, open: () => Promise.reject(new EngineError('missing_piece', message)) };
  };
  const shards = new ShardSource(base + encodeURIComponent(manifest.name), open);
  return { ...directly(shards), manifest: (signal) => shards.manifest(signal) };
}
