// What is kept of a model when storage fails: a crash in the middle, no room, no answer.
import { describe, expect, test, vi } from 'vitest';
import { FakeFile, FakeHandle } from '../testing/storage';
import {
  caches,
  directory,
  expectBytes,
  firstVisit,
  HEADER,
  leave,
  MB,
  never,
  openHeader,
  type Place,
  places,
  read,
  SIZE,
  server,
  type Visit,
  visit,
  wholly,
} from '../testing/visits';
import { CachedSource } from './cached-source';
import { FileCache } from './file-cache';

describe('pulling the plug', () => {
  test.each([1, 31, 32, 40])('an index that lacks its last %i bytes', async (lacking) => {
    await firstVisit(wholly);
    const index = directory.file('index');
    index.bytes = index.bytes.slice(0, -lacking);
    const second = visit();
    await openHeader(second);
    await expectBytes(second.source, HEADER, SIZE);
    expect(server.asked).toBeLessThan(2.5 * MB);
    await leave();
    server.reachable = false;
    await expectBytes(visit().source, 0, SIZE);
  });

  test('an index whose last entry is zeros', async () => {
    await firstVisit(wholly);
    directory.file('index').bytes.fill(0, -32);
    await expectBytes(visit().source, 0, SIZE);
    expect(server.requests.length).toBe(2);
  });

  test('data that is shorter than its index says', async () => {
    await firstVisit(wholly);
    const data = directory.file('data');
    data.bytes = data.bytes.slice(0, -5);
    const second = visit();
    await expectBytes(second.source, 0, SIZE);
    expect(server.requests.length).toBeGreaterThan(1);
    await leave();
    server.reachable = false;
    await expectBytes(visit().source, 0, SIZE);
  });

  test('a byte that is not what was written', async () => {
    await firstVisit(wholly);
    const data = directory.file('data');
    data.bytes[MB + 77] = (data.bytes[MB + 77] ?? 0) ^ 1;
    const second = visit();
    await expectBytes(second.source, 0, SIZE);
    expect(server.requests.length).toBe(2);
  });

  test.each([0, 4, 20, 40])('a head that is broken at byte %i', async (at) => {
    await firstVisit(wholly);
    const index = directory.file('index');
    index.bytes[at] = (index.bytes[at] ?? 0) ^ 255;
    const second = visit();
    await openHeader(second);
    await expectBytes(second.source, HEADER, SIZE);
    await leave();
    server.reachable = false;
    await expectBytes(visit().source, 0, SIZE);
  });

  test('a connection that breaks off loses nothing that had arrived', async () => {
    server.breaksAt = 2 * MB;
    const first = visit();
    await openHeader(first);
    await expect(read(first.source, HEADER, SIZE)).rejects.toMatchObject({ code: 'network' });
    await leave();
    server.breaksAt = Number.POSITIVE_INFINITY;
    server.requests.length = 0;
    const second = visit();
    await expectBytes(second.source, 0, SIZE);
    expect(server.requests.length).toBe(2);
    expect(server.requests[1]?.begin).toBeGreaterThanOrEqual(2 * MB - 16 * 1024);
  });
});

describe('no room', () => {
  test.each([0, 10, 100, 250_000, 2 * MB])('after %i bytes', async (room) => {
    directory.quota.left = room;
    const first = visit();
    await openHeader(first);
    await expectBytes(first.source, HEADER, SIZE);
    await leave();
    expect(first.source.keeping).toEqual({ state: 'off', reason: 'full' });
    const second = visit();
    await openHeader(second);
    await expectBytes(second.source, HEADER, SIZE);
  });

  test('no storage at all', async () => {
    const keeper = new FileCache(async () => 'denied');
    const source = new CachedSource(server, server, keeper);
    await expectBytes(source, 0, HEADER);
    await source.accept(SIZE);
    await expectBytes(source, HEADER, SIZE);
    expect(source.keeping).toEqual({ state: 'off', reason: 'denied' });
  });

  test('files that are taken away in the middle', async () => {
    const first = visit();
    await openHeader(first);
    await expectBytes(first.source, HEADER, MB);
    for (const folder of directory.folders.values()) {
      for (const file of folder.files.values()) Object.defineProperty(file, 'bytes', { get: () => fail() });
    }
    await expectBytes(first.source, 0, SIZE);
    expect(first.source.keeping).toEqual({ state: 'off', reason: 'denied' });
  });
});

const fail = (): never => {
  throw new DOMException('gone', 'NotFoundError');
};

describe('a storage that never answers', () => {
  const silent = () => new Promise<never>(() => undefined);
  const PATIENCE = 20;

  /** A visit whose storage is asked through `place`. */
  function hurried(place: Place): Visit {
    const keeper = new FileCache(place, PATIENCE);
    return { keeper, source: new CachedSource(server, server, keeper) };
  }

  test.each<[string, () => void]>([
    ['locks.request', () => vi.stubGlobal('navigator', { locks: { request: silent }, onLine: true })],
    ['getDirectoryHandle', () => Object.assign(directory, { getDirectoryHandle: silent })],
    ['createSyncAccessHandle', () => vi.spyOn(FakeFile.prototype, 'createSyncAccessHandle').mockImplementation(silent)],
    ['caches.open', () => Object.assign(caches, { open: silent })],
  ])('%s: the file is read, and is not said to be kept', async (what, arrange) => {
    arrange();
    const first = hurried(what === 'caches.open' ? (places.caches as Place) : (places.files as Place));
    await openHeader(first);
    await expectBytes(first.source, HEADER, SIZE);
    expect(first.source.keeping).toEqual({ state: 'writing' });
  });

  test('on a second visit: what is kept is asked of the server', async () => {
    await firstVisit(wholly);
    const second = hurried(places.files as Place);
    await second.source.isKnown(never);
    vi.spyOn(FakeHandle.prototype, 'read').mockImplementation(() => {
      throw new Error('synchronous reads answer at once or fail');
    });
    await expectBytes(second.source, 0, SIZE);
    await second.keeper.close();
  });

  test('a storage that answers late keeps what has come by then, and what comes', async () => {
    let answer: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const first = hurried(async () => {
      await gate;
      return (places.files as Place)();
    });
    await openHeader(first);
    answer();
    await expectBytes(first.source, HEADER, SIZE);
    await vi.waitUntil(() => first.source.keeping.state === 'kept');
    await first.keeper.close();
    server.reachable = false;
    await expectBytes(visit().source, 0, SIZE);
  });

  test('it is given up before much waits in memory', async () => {
    const keeper = new FileCache(silent, PATIENCE);
    const piece = new Uint8Array(1024 * 1024);
    async function* pieces() {
      for (let i = 0; i < 40; ++i) yield piece;
    }
    for await (const _ of keeper.keep({ begin: 0, fileSize: null, version: null, pieces: pieces() }));
    expect(keeper.off).toBe('unanswered');
  });
});

test.each([2 ** 32 - 8, 2 ** 32 - 1, 0])('a write that gives %i is no success', async (given) => {
  vi.spyOn(FakeHandle.prototype, 'write').mockReturnValue(given);
  const first = visit();
  await openHeader(first);
  await first.keeper.flush();
  expect(first.source.keeping).toEqual({ state: 'off', reason: 'full' });
});
