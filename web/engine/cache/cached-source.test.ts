// Visits to a model on a server: what is kept, what is asked for again, and what happens when either goes wrong.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EngineError } from '../errors';
import { cancelling } from '../source/source';
import { VersionedSource } from '../source/version';
import { ServedFile } from '../testing/served';
import { FakeCaches, FakeDirectory, FakeFile, FakeHandle, FakeLocks } from '../testing/storage';
import { openInCache } from './cache-api';
import { CachedSource } from './cached-source';
import type { CacheEntry } from './entry';
import { FileCache } from './file-cache';
import { openInDirectory } from './opfs';

const MB = 1024 * 1024;
const SIZE = 3 * MB + 12345;
const HEADER = 200_000;
const never = new AbortController().signal;

/** Bytes that no two offsets share a pattern of. */
function numbered(seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: SIZE }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

const FIRST = numbered(1);
const SECOND = numbered(2);

let server: ServedFile;
let directory: FakeDirectory;
let caches: FakeCaches;
const visits: FileCache[] = [];

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

type Place = () => Promise<CacheEntry>;
const places: Record<string, Place> = {
  files: () => openInDirectory(directory, server.name),
  caches: () => openInCache(caches as unknown as CacheStorage, server.name),
};

interface Visit {
  readonly source: CachedSource;
  readonly keeper: FileCache;
}

/** A page opens the model; it has not read anything yet. */
function visit(place: Place = () => openInDirectory(directory, server.name)): Visit {
  const keeper = new FileCache(place);
  visits.push(keeper);
  const versions = new VersionedSource(server);
  return { keeper, source: new CachedSource(versions, server, keeper, versions) };
}

/** All pages are closed. */
async function leave(): Promise<void> {
  for (const keeper of visits.splice(0)) await keeper.close();
}

/** What a caller gets for a range: where it begins, and the bytes. */
async function read(source: CachedSource, begin: number, end: number): Promise<{ begin: number; bytes: Uint8Array }> {
  const stream = await source.open(begin, end, never);
  const pieces: Uint8Array[] = [];
  for await (const piece of stream.pieces) pieces.push(piece);
  return { begin: stream.begin, bytes: new Uint8Array(Buffer.concat(pieces)) };
}

async function expectBytes(source: CachedSource, begin: number, end: number, file = FIRST): Promise<void> {
  const got = await read(source, begin, end);
  expect(got.begin).toBe(begin);
  expect(Buffer.compare(got.bytes, file.subarray(begin, Math.min(end, SIZE)))).toBe(0);
}

/** As the loader opens a model: the header, which the engine accepts. */
async function openHeader({ source }: Visit, file = FIRST): Promise<void> {
  await expectBytes(source, 0, HEADER, file);
  await source.accept(SIZE);
}

/** A first visit that reads some ranges, and is over. */
async function firstVisit(ranges: readonly (readonly [number, number])[], place?: Place): Promise<void> {
  const first = visit(place);
  await openHeader(first);
  for (const [begin, end] of ranges) await expectBytes(first.source, begin, end);
  await leave();
  server.requests.length = 0;
}

const wholly = [[HEADER, SIZE]] as const;

describe.each(Object.entries(places))('in %s', (_, place) => {
  test('a second visit asks once, for little, and gets everything', async () => {
    await firstVisit(wholly, place);
    const second = visit(place);
    await openHeader(second);
    await expectBytes(second.source, HEADER, SIZE);
    expect(server.requests.length).toBe(1);
    expect(server.asked).toBeLessThanOrEqual(32 * 1024);
    expect(second.source.keeping).toEqual({ state: 'kept', checked: true });
  });

  test('without a connection nothing is asked for that is there', async () => {
    await firstVisit(wholly, place);
    vi.stubGlobal('navigator', { ...navigator, locks: navigator.locks, onLine: false });
    server.reachable = false;
    const second = visit(place);
    await openHeader(second);
    await expectBytes(second.source, HEADER, SIZE);
    expect(server.requests).toEqual([]);
    expect(second.source.keeping).toEqual({ state: 'kept', checked: false });
  });

  test('what is missing between kept ranges is fetched, and kept', async () => {
    await firstVisit([[MB, 2 * MB]], place);
    const second = visit(place);
    await openHeader(second);
    server.requests.length = 0;
    await expectBytes(second.source, HEADER - 100, SIZE);
    expect(server.requests).toEqual([
      { begin: HEADER, end: MB },
      { begin: 2 * MB, end: SIZE },
    ]);
    await leave();
    server.reachable = false;
    await expectBytes(visit(place).source, 0, SIZE);
  });

  test('a file that has changed is loaded anew, and the old one is gone', async () => {
    await firstVisit(wholly, place);
    server.bytes = SECOND;
    server.version = '"2"';
    const second = visit(place);
    await openHeader(second, SECOND);
    await expectBytes(second.source, HEADER, SIZE, SECOND);
    await leave();
    server.reachable = false;
    await expectBytes(visit(place).source, 0, SIZE, SECOND);
  });

  test('a second tab reads what is there, and says that it doesn’t keep', async () => {
    const first = visit(place);
    await openHeader(first);
    await expectBytes(first.source, HEADER, MB);
    await first.keeper.flush();
    server.requests.length = 0;
    const second = visit(place);
    await openHeader(second);
    await expectBytes(second.source, HEADER, MB);
    expect(server.requests.length).toBe(1);
    expect(second.source.keeping).toEqual({ state: 'off', reason: 'busy' });
    await expectBytes(second.source, MB, SIZE);
    expect(first.source.keeping).toEqual({ state: 'kept', checked: true });
  });

  test('a tab takes over once the writer is gone', async () => {
    const first = visit(place);
    await openHeader(first);
    await first.keeper.flush();
    const second = visit(place);
    await openHeader(second);
    visits.shift();
    await first.keeper.close();
    await expectBytes(second.source, HEADER, SIZE);
    await second.keeper.flush();
    expect(second.source.keeping).toEqual({ state: 'kept', checked: true });
    await leave();
    server.reachable = false;
    await expectBytes(visit(place).source, 0, SIZE);
  });
});

test('small pieces become few records', async () => {
  await firstVisit(wholly);
  expect(directory.file('index').bytes.length / 32).toBeLessThan(12);
});

test('kept bytes that are too few to be worth a request are read through', async () => {
  await firstVisit([[MB, MB + 1000]]);
  const second = visit();
  await openHeader(second);
  server.requests.length = 0;
  await expectBytes(second.source, MB - 5000, MB + 5000);
  expect(server.requests).toEqual([{ begin: MB - 5000, end: MB + 5000 }]);
  await leave();
  expect(directory.file('data').bytes.length).toBe(HEADER + 10_000);
});

test('nothing is kept of what the engine has not accepted', async () => {
  await expectBytes(visit().source, 0, SIZE);
  await leave();
  expect(directory.folders.size).toBe(0);
});

test('a rejected file is deleted', async () => {
  await firstVisit(wholly);
  const second = visit();
  await openHeader(second);
  await second.source.reject();
  expect(directory.folders.size).toBe(0);
  await expectBytes(second.source, 0, SIZE);
  expect(second.source.keeping.state).toBe('off');
});

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

describe('the server', () => {
  test('changes the file during a visit', async () => {
    const first = visit();
    await openHeader(first);
    await first.keeper.flush();
    server.version = '"2"';
    server.bytes = SECOND;
    await expect(first.source.open(MB, 2 * MB, never)).rejects.toMatchObject({ name: 'EngineError', code: 'changed' });
    await expectBytes(first.source, 0, HEADER);
    await leave();
    server.reachable = false;
    await expectBytes(visit().source, 0, HEADER);
  });

  test('has changed the file when a transfer is taken up again', async () => {
    const first = visit();
    await openHeader(first);
    server.breaksAt = MB;
    server.breaksWith = new EngineError('changed', 'has changed');
    await expect(read(first.source, HEADER, 2 * MB)).rejects.toMatchObject({ code: 'changed' });
    await expectBytes(first.source, 0, HEADER);
  });

  test.each(['W/"1"', '"2"', 'Mon, 01 Jan 2024 00:00:00 GMT'])(
    'gives the same bytes another validator, %s, during a visit: it goes on, not confirmed',
    async (version) => {
      const first = visit();
      await openHeader(first);
      server.version = version;
      await expectBytes(first.source, HEADER, SIZE);
      await first.keeper.flush();
      expect(first.source.keeping).toEqual({ state: 'kept', checked: false });
    },
  );

  test.each(['W/"1"', '"2"', 'Mon, 01 Jan 2024 00:00:00 GMT'])(
    'gives the same bytes another validator, %s, on the next visit: they are used, not confirmed',
    async (version) => {
      await firstVisit([[MB, 2 * MB]]);
      server.version = version;
      const second = visit();
      await openHeader(second);
      await expectBytes(second.source, MB, 2 * MB);
      expect(server.asked).toBeLessThanOrEqual(4 * 32 * 1024);
      expect(second.source.keeping).toEqual({ state: 'kept', checked: false });
      await expectBytes(second.source, 2 * MB, SIZE);
    },
  );

  test('is several servers with validators of their own, in turn', async () => {
    const first = visit();
    await openHeader(first);
    let turn = 0;
    Object.defineProperty(server, 'version', { get: () => (++turn % 2 ? '"a"' : '"b"') });
    await expectBytes(first.source, HEADER, MB);
    await expectBytes(first.source, MB, SIZE);
  });

  test('sends another file under another validator, whole: none of it passes for the first', async () => {
    server.ranges = false;
    const first = visit();
    const stream = await first.source.open(0, HEADER, never);
    for (let at = 0; at < HEADER; at += (await stream.pieces.next()).value?.length ?? 0);
    await stream.pieces.return();
    server.version = '"2"';
    server.bytes = SECOND;
    await expect(read(first.source, HEADER, SIZE)).rejects.toMatchObject({ code: 'changed' });
  });

  test('has another file when the connection is back: what is kept stays', async () => {
    await firstVisit([[MB, 2 * MB]]);
    server.reachable = false;
    const second = visit();
    await openHeader(second);
    server.reachable = true;
    server.version = '"2"';
    server.bytes = SECOND;
    await expect(read(second.source, 2 * MB, SIZE)).rejects.toMatchObject({ code: 'changed' });
    await expectBytes(second.source, MB, 2 * MB);
  });

  test('has another size of file', async () => {
    await firstVisit(wholly);
    server.version = null;
    server.bytes = FIRST.slice(0, MB);
    const second = visit();
    await read(second.source, 0, HEADER);
    expect(server.requests.length).toBe(2);
    expect(directory.folders.size).toBe(0);
  });

  test.each([
    ['the same bytes', FIRST, 1],
    ['other bytes', SECOND, 2],
  ])('says neither size nor version: %s decide', async (_, bytes, requests) => {
    server.version = null;
    server.saysSize = false;
    await firstVisit(wholly);
    server.bytes = bytes;
    const second = visit();
    await openHeader(second, bytes);
    expect(server.requests.length).toBe(requests);
    expect(second.source.keeping).toEqual({ state: 'kept', checked: true });
  });

  test('can’t be reached: what is kept is used, and what is missing is the network’s error', async () => {
    await firstVisit([[MB, 2 * MB]]);
    server.reachable = false;
    const second = visit();
    await openHeader(second);
    await expectBytes(second.source, MB, 2 * MB);
    expect(second.source.keeping).toEqual({ state: 'kept', checked: false });
    await expect(read(second.source, 2 * MB, SIZE)).rejects.toMatchObject({ code: 'network' });
    server.reachable = true;
    await expectBytes(second.source, 2 * MB, SIZE);
    await second.keeper.flush();
    expect(second.source.keeping).toEqual({ state: 'kept', checked: true });
  });

  test('sends whole files only: kept as they pass, not asked for again', async () => {
    server.ranges = false;
    const first = visit();
    const got = await read(first.source, 0, HEADER);
    expect((await first.source.open(0, HEADER, never)).whole).toBe(true);
    expect(Buffer.compare(got.bytes, FIRST)).toBe(0);
    await first.source.accept(SIZE);
    await leave();
    server.requests.length = 0;
    const second = visit();
    await expectBytes(second.source, 0, SIZE);
    expect(server.requests.length).toBe(1);
  });

  test('sends the whole file where a part is missing', async () => {
    await firstVisit([]);
    server.ranges = false;
    const second = visit();
    await openHeader(second);
    const first = await read(second.source, HEADER - 10, MB);
    expect(first.begin).toBe(HEADER - 10);
    expect(Buffer.compare(first.bytes, FIRST.subarray(HEADER - 10))).toBe(0);
  });
});

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

test('a tab that reads looks once for the writer’s end, however many ranges are asked for', async () => {
  const first = visit();
  await openHeader(first);
  await first.keeper.flush();
  const second = visit();
  await openHeader(second);
  visits.shift();
  await first.keeper.close();
  const request = vi.spyOn(navigator.locks, 'request');
  await Promise.all([0, 1, 2, 3].map((i) => expectBytes(second.source, MB + i * 1000, MB + i * 1000 + 10)));
  expect(request).toHaveBeenCalledTimes(1);
  await second.keeper.close();
  visits.pop();
  const third = visit();
  await openHeader(third);
  expect(third.source.keeping).toMatchObject({ state: 'kept' });
});

test('a stream that is returned before it is read is cancelled', async () => {
  const cancelled = vi.fn();
  const inner = server.open.bind(server);
  server.open = async (...range) => {
    const stream = await inner(...range);
    return { ...stream, pieces: cancelling(stream.pieces, cancelled) };
  };
  const { pieces } = await visit().source.open(0, HEADER, never);
  await pieces.return();
  expect(cancelled).toHaveBeenCalledTimes(1);
});
