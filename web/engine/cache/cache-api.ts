// Kept ranges through the Cache API, for browsers without files to write: a cache per file, a response per record.
//
// The responses are ours, with status 200, under addresses that nobody is asked for: a cache takes no 206.
import { crc32 } from './checksum';
import type { CacheEntry, CacheRecord, Identity, Run } from './entry';
import { keyOf } from './key';
import { holdLock } from './lock';

/** Before the name of each cache; other caches of the page's origin have other names. */
export const CACHE_PREFIX = 'headflow-model-';
const DESCRIPTION = 'description';

/** What a cache says about itself. */
export interface Description {
  readonly identity: Identity;
  readonly used: number;
}

const address = (part: string): string => new URL(`/.kept/${part}`, location.origin).href;
const addressOf = ({ begin, length, checksum }: CacheRecord): string => address(`${begin}-${length}-${checksum}`);

/** What is kept of the file at `url`; this tab writes if no other does. Rejects where there is no such storage. */
export async function openInCache(caches: CacheStorage, url: string): Promise<CacheEntry> {
  const name = await keyOf(url);
  let taken: () => void = () => undefined;
  const release = await holdLock(name, () => taken());
  try {
    const file = await CacheApiEntry.open(caches, CACHE_PREFIX + name, release);
    taken = () => {
      file.lost = true;
    };
    return file;
  } catch (error) {
    release?.();
    throw error;
  }
}

export async function describe(cache: Cache): Promise<Description | null> {
  return (await (await cache.match(address(DESCRIPTION)))?.json()) ?? null;
}

export async function recordsOf(cache: Cache): Promise<CacheRecord[]> {
  return (await cache.keys()).flatMap(({ url }) => {
    const [, begin, length, checksum] = url.match(/\/(\d+)-(\d+)-(\d+)$/) ?? [];
    return begin === undefined ? [] : [{ begin: Number(begin), length: Number(length), checksum: Number(checksum) }];
  });
}

class CacheApiEntry implements CacheEntry {
  identity: Identity | null = null;
  records: readonly CacheRecord[] = [];
  lost = false;
  readonly #caches: CacheStorage;
  readonly #name: string;
  readonly #release: (() => void) | null;
  #cache: Cache | null = null;

  static async open(caches: CacheStorage, name: string, release: (() => void) | null): Promise<CacheApiEntry> {
    const file = new CacheApiEntry(caches, name, release);
    if (await caches.has(name)) await file.#read(await caches.open(name));
    return file;
  }

  private constructor(caches: CacheStorage, name: string, release: (() => void) | null) {
    this.#caches = caches;
    this.#name = name;
    this.#release = release;
  }

  get writable(): boolean {
    return this.#release !== null;
  }

  async #read(cache: Cache): Promise<void> {
    this.#cache = cache;
    this.identity = (await describe(cache))?.identity ?? null;
    if (this.identity === null) return;
    this.records = await recordsOf(cache);
    if (this.writable) await this.#describe(this.identity);
  }

  async #describe(identity: Identity): Promise<void> {
    const description: Description = { identity, used: Date.now() };
    await this.#opened().put(address(DESCRIPTION), new Response(JSON.stringify(description)));
  }

  async read(record: CacheRecord, begin: number, end: number): Promise<Uint8Array> {
    const response = await this.#opened().match(addressOf(record));
    const part = (await response?.blob())?.slice(begin, end);
    return new Uint8Array((await part?.arrayBuffer()) ?? new ArrayBuffer(0));
  }

  async start(identity: Identity): Promise<void> {
    await this.#caches.delete(this.#name);
    this.#cache = await this.#caches.open(this.#name);
    await this.#describe(identity);
  }

  async write(runs: readonly Run[]): Promise<CacheRecord[]> {
    const records: CacheRecord[] = [];
    for (const { begin, bytes } of runs) {
      const record = { begin, length: bytes.length, checksum: crc32(bytes) };
      await this.#opened().put(addressOf(record), new Response(bytes));
      records.push(record);
    }
    return records;
  }

  async forget(record: CacheRecord): Promise<void> {
    await this.#opened().delete(addressOf(record));
  }

  async remove(): Promise<void> {
    this.#cache = null;
    await this.#caches.delete(this.#name);
    this.close();
  }

  close(): void {
    this.#release?.();
  }

  #opened(): Cache {
    if (this.#cache === null || this.lost) throw new DOMException('closed', 'InvalidStateError');
    return this.#cache;
  }
}
