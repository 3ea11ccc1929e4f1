// From where a model is read to the source of its bytes, with what is known of their way here.
import type { Keeping, ModelSource } from '../api';
import { BlobSource } from './blob';
import type { Manifest } from './manifest';
import { ShardSource, sourceAt } from './shards';
import type { ByteSource } from './source';
import { SteadySource } from './steady';
import { Traffic } from './traffic';
import { UrlSource } from './url';

export interface Transport {
  readonly source: ByteSource;
  readonly traffic: Traffic;
  /** What the bytes should be; null where no manifest says so. */
  manifest(signal: AbortSignal): Promise<Manifest | null>;
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
    (url) => new SteadySource(new UrlSource(url, traffic), (failure) => transport.onTrouble(failure)),
  );
  const transport: Transport = {
    source,
    traffic,
    manifest: async (signal) => (source instanceof ShardSource ? source.manifest(signal) : null),
    keeping: () => ({ state: 'off', reason: 'denied' }),
    onTrouble: () => undefined,
  };
  return transport;
}
