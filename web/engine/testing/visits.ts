// Visits to a model on a server, for tests of what is kept: each test has a server, storage and tabs of its own.
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { openInCache } from '../cache/cache-api';
import { CachedSource } from '../cache/cached-source';
import type { CacheEntry } from '../cache/entry';
import { FileCache } from '../cache/file-cache';
import { openInDirectory } from '../cache/opfs';
import { VersionedSource } from '../source/version';
import { ServedFile } from './served';
import { FakeCaches, FakeDirectory, FakeLocks } from './storage';

export const MB = 1024 * 1024;
export const SIZE = 3 * MB + 12345;
export const HEADER = 200_000;
export const never = new AbortController().signal;

/** Bytes that no two offsets share a pattern of. */
function numbered(seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: SIZE }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

export const FIRST = numbered(1);
export const SECOND = numbered(2);

export let server: ServedFile;
export let directory: FakeDirectory;
export let caches: FakeCaches;
export const visits: FileCache[] = [];

beforeEach(() => {
  server = new ServedFile(FIRST);
  directory = new FakeDirectory();
  caches = new FakeCaches();
  vi.stubGlobal('navigator', { locks: new FakeLocks(), onLine: true });
  vi.stubGlobal('location', { origin: 'https://page.example.org' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await leave();
  vi.unstubAllGlobals();
});

export type Place = () => Promise<CacheEntry>;
export const places: Record<string, Place> = {
  files: () => openInDirectory(directory, server.name),
  caches: () => openInCache(caches as unknown as CacheStorage, server.name),
};

export interface Visit {
  readonly source: CachedSource;
  readonly keeper: FileCache;
}

/** A page opens the model; it has not read anything yet. */
export function visit(place: Place = () => openInDirectory(directory, server.name)): Visit {
  const keeper = new FileCache(place);
  visits.push(keeper);
  const versions = new VersionedSource(server);
  return { keeper, source: new CachedSource(versions, server, keeper, versions) };
}

/** All pages are closed. */
export async function leave(): Promise<void> {
  for (const keeper of visits.splice(0)) await keeper.close();
}

/** What a caller gets for a range: where it begins, and the bytes. */
export async function read(
  source: CachedSource,
  begin: number,
  end: number,
): Promise<{ begin: number; bytes: Uint8Array }> {
  const stream = await source.open(begin, end, never);
  const pieces: Uint8Array[] = [];
  for await (const piece of stream.pieces) pieces.push(piece);
  return { begin: stream.begin, bytes: new Uint8Array(Buffer.concat(pieces)) };
}

export async function expectBytes(source: CachedSource, begin: number, end: number, file = FIRST): Promise<void> {
  const got = await read(source, begin, end);
  expect(got.begin).toBe(begin);
  expect(Buffer.compare(got.bytes, file.subarray(begin, Math.min(end, SIZE)))).toBe(0);
}

/** As the loader opens a model: the header, which the engine accepts. */
export async function openHeader({ source }: Visit, file = FIRST): Promise<void> {
  await expectBytes(source, 0, HEADER, file);
  await source.accept(SIZE);
}

/** A first visit that reads some ranges, and is over. */
export async function firstVisit(ranges: readonly (readonly [number, number])[], place?: Place): Promise<void> {
  const first = visit(place);
  await openHeader(first);
  for (const [begin, end] of ranges) await expectBytes(first.source, begin, end);
  await leave();
  server.requests.length = 0;
}

export const wholly = [[HEADER, SIZE]] as const;
