// What is kept of a model when its server changes the file, answers otherwise or can’t be reached.
import { describe, expect, test } from 'vitest';
import { EngineError } from '../errors';
import {
  directory,
  expectBytes,
  FIRST,
  firstVisit,
  HEADER,
  leave,
  MB,
  never,
  openHeader,
  read,
  SECOND,
  SIZE,
  server,
  visit,
  wholly,
} from '../testing/visits';

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
