// Visits to a model on a server: what is kept, and what is asked for again.
import { describe, expect, test, vi } from 'vitest';
import { cancelling } from '../source/source';
import {
  directory,
  expectBytes,
  firstVisit,
  HEADER,
  leave,
  MB,
  never,
  openHeader,
  places,
  SECOND,
  SIZE,
  server,
  visit,
  visits,
  wholly,
} from '../testing/visits';

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
