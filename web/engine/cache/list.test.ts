// What a page lists of kept models, and deleting it while another tab or the page's own worker has it open.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServedFile } from '../testing/served';
import { FakeCaches, FakeDirectory, FakeFile, FakeLocks } from '../testing/storage';
import { openInCache } from './cache-api';
import { CachedSource } from './cached-source';
import { FileCache } from './file-cache';
import { deleteAllKept, deleteKept, listKept } from './list';
import { openEntry } from './open';

const SIZE = 100_000;
const never = new AbortController().signal;

let top: FakeDirectory;
let caches: FakeCaches;
let storage: { getDirectory: () => Promise<FakeDirectory> };

beforeEach(() => {
  top = new FakeDirectory();
  caches = new FakeCaches();
  storage = { getDirectory: async () => top };
  vi.stubGlobal('navigator', { locks: new FakeLocks(), onLine: true, storage });
  vi.stubGlobal('location', { origin: 'https://page.example.org' });
  vi.stubGlobal('caches', caches);
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('FileSystemFileHandle', FakeFile);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

async function read(source: CachedSource, begin: number, end: number): Promise<void> {
  const { pieces } = await source.open(begin, end, never);
  for await (const _ of pieces);
}

/** A page that has the first half of a model open. */
async function opened(url: string, open = () => openEntry(url)) {
  const served = Object.assign(new ServedFile(new Uint8Array(SIZE).fill(1)), { name: url });
  const keeper = new FileCache(open);
  const source = new CachedSource(served, served, keeper);
  await read(source, 0, SIZE / 2);
  await source.accept(SIZE);
  return { keeper, source };
}

const names = async () => (await listKept()).map(({ url }) => url);

test('what is kept, the last used first, in files and in caches', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T10:00:00Z') });
  const first = await opened('https://example.org/a.gguf');
  vi.setSystemTime(new Date('2026-03-02T10:00:00Z'));
  await opened('https://example.org/b.gguf');
  vi.setSystemTime(new Date('2026-03-03T10:00:00Z'));
  await opened('https://example.org/c.gguf', () =>
    openInCache(caches as unknown as CacheStorage, 'https://example.org/c.gguf'),
  );
  expect(await listKept()).toMatchObject([
    { url: 'https://example.org/c.gguf', kept: SIZE / 2, size: SIZE, used: new Date('2026-03-03T10:00:00Z') },
    { url: 'https://example.org/b.gguf', kept: SIZE / 2, size: SIZE, used: new Date('2026-03-02T10:00:00Z') },
    { url: 'https://example.org/a.gguf', kept: SIZE / 2, size: SIZE, used: new Date('2026-03-01T10:00:00Z') },
  ]);
  await first.keeper.close();
  vi.setSystemTime(new Date('2026-03-04T10:00:00Z'));
  await opened('https://example.org/a.gguf');
  expect((await names())[0]).toBe('https://example.org/a.gguf');
  vi.useRealTimers();
});

test('one is deleted while a page has it open: the page goes on, and keeps no more', async () => {
  const { source } = await opened('https://example.org/a.gguf');
  await opened('https://example.org/b.gguf');
  const [a] = (await listKept()).filter(({ url }) => url.endsWith('a.gguf'));
  if (!a) throw new Error('not listed');
  await deleteKept(a);
  expect(await names()).toEqual(['https://example.org/b.gguf']);
  await read(source, 0, SIZE);
  expect(source.keeping).toEqual({ state: 'off', reason: 'deleted' });
  expect(await names()).toEqual(['https://example.org/b.gguf']);
});

test('a tab that was reading does not bring back what was deleted', async () => {
  await opened('https://example.org/a.gguf');
  const { source } = await opened('https://example.org/a.gguf');
  expect(source.keeping).toEqual({ state: 'off', reason: 'busy' });
  await deleteAllKept();
  await read(source, 0, SIZE);
  expect(source.keeping).toEqual({ state: 'off', reason: 'deleted' });
  expect(await names()).toEqual([]);
});

test('all are deleted, also what can’t be read', async () => {
  await opened('https://example.org/a.gguf');
  await opened('https://example.org/c.gguf', () =>
    openInCache(caches as unknown as CacheStorage, 'https://example.org/c.gguf'),
  );
  const models = await top.getDirectoryHandle('headflow-models');
  await models.getDirectoryHandle('broken', { create: true });
  caches.stores.set('other', new Map());
  await deleteAllKept();
  expect(await names()).toEqual([]);
  expect(models.folders.size).toBe(0);
  expect(await caches.keys()).toEqual(['other']);
});

test('without files to write, caches are used; without either, nothing, and both say why', async () => {
  storage.getDirectory = async () => {
    throw new DOMException('denied', 'SecurityError');
  };
  const { source } = await opened('https://example.org/a.gguf');
  expect(source.keeping).toEqual({ state: 'kept', checked: true });
  expect((await caches.keys()).length).toBe(1);
  expect(await names()).toEqual(['https://example.org/a.gguf']);

  vi.stubGlobal('caches', undefined);
  expect(await openEntry('https://example.org/b.gguf')).toBe('denied');
  expect(await listKept()).toEqual([]);
  vi.stubGlobal('isSecureContext', false);
  expect(await openEntry('https://example.org/b.gguf')).toBe('insecure');
});
