// The test server itself: exact ranges and counts, and each misbehaviour as a client sees it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { piecesOf } from '../../engine/source/source';
import type { Route, ServerOptions } from './options';
import { startServer, type TestServer } from './server.mjs';
import { EMPTY, lfsPointer, WEB_PAGE } from './stand-ins.mjs';

const SIZE = 200_000;
const BYTES = Uint8Array.from({ length: SIZE }, (_, i) => (i * 31 + (i >> 8)) % 251);
const folder = mkdtempSync(join(tmpdir(), 'headflow-'));
const file = join(folder, 'm.gguf');
const servers: TestServer[] = [];

beforeAll(() => {
  writeFileSync(file, BYTES);
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

async function start(route: Route = { file }, options: ServerOptions = {}) {
  const server = await startServer({ folder, ...options });
  servers.push(server);
  return { server, url: server.route('model', route) };
}

const get = (url: string, begin: number, end: number, headers: Record<string, string> = {}) =>
  fetch(url, { headers: { range: `bytes=${begin}-${end - 1}`, ...headers } });

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
/** Are these the file's bytes [begin, end)? Quicker than comparing arrays. */
const isPart = async (response: Response, begin: number, end: number) =>
  Buffer.from(await bytesOf(response)).equals(BYTES.subarray(begin, end));

/** Reads until the body ends or fails. */
async function readAll(response: Response): Promise<{ length: number; failed: boolean }> {
  let length = 0;
  try {
    if (response.body) for await (const piece of piecesOf(response.body)) length += piece.length;
    return { length, failed: false };
  } catch {
    return { length, failed: true };
  }
}

/** The client may have the last byte before the server is told that it was taken. */
const settled = (server: TestServer) =>
  expect.poll(() => server.requests('model').every(({ outcome }) => outcome !== 'open')).toBe(true);

test.each<[string, Route]>([
  ['a file', { file }],
  ['bytes', { bytes: BYTES }],
])('%s: exact ranges, and what was sent is counted', async (_, route) => {
  const { server, url } = await start(route);
  const response = await get(url, 70_000, 140_001);
  expect(response.status).toBe(206);
  expect(response.headers.get('content-range')).toBe(`bytes 70000-140000/${SIZE}`);
  expect(await isPart(response, 70_000, 140_001)).toBe(true);
  expect((await bytesOf(await fetch(url))).length).toBe(SIZE);
  expect((await bytesOf(await get(url, SIZE - 5, SIZE + 100))).length).toBe(5);
  expect((await get(url, SIZE, SIZE + 1)).status).toBe(416);
  await settled(server);
  expect(
    server.requests('model').map(({ range, status, sent, outcome }) => ({ range, status, sent, outcome })),
  ).toEqual([
    { range: { begin: 70_000, end: 140_001 }, status: 206, sent: 70_001, outcome: 'whole' },
    { range: null, status: 200, sent: SIZE, outcome: 'whole' },
    { range: { begin: SIZE - 5, end: SIZE + 100 }, status: 206, sent: 5, outcome: 'whole' },
    { range: { begin: SIZE, end: SIZE + 1 }, status: 416, sent: 0, outcome: 'whole' },
  ]);
  expect(server.traffic('model')).toEqual({ requests: 4, bytes: 70_001 + SIZE + 5 });
});

test('the folder appears beneath its base, and nothing above it', async () => {
  const { server } = await start({}, { base: '/a/b/', defaults: { headers: { 'content-security-policy': 'x' } } });
  const page = await fetch(server.url);
  expect(new URL(server.url).pathname).toBe('/a/b/');
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('content-security-policy')).toBe('x');
  expect((await bytesOf(await fetch(`${server.url}m.gguf`))).length).toBe(SIZE);
  expect((await fetch(`${server.url}none`)).status).toBe(404);
  expect((await fetch(new URL('/m.gguf', server.url))).status).toBe(404);
  expect((await fetch(`${server.url}..%2f..%2fetc%2fpasswd`)).status).toBe(404);
});

test('a validator confirms, or gives the whole of a changed file', async () => {
  const { server, url } = await start();
  const etag = (await get(url, 0, 1)).headers.get('etag') ?? '';
  expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await get(url, 0, 10, { 'if-range': etag })).status).toBe(206);
  server.route('model', { bytes: BYTES.slice(1) });
  const changed = await get(url, 0, 10, { 'if-range': etag });
  expect(changed.status).toBe(200);
  expect(changed.headers.get('etag')).not.toBe(etag);
});

test('a file that changes from the third request on, and one that does not exist at first', async () => {
  const other = BYTES.map((value) => value + 1);
  const { url } = await start({ file, exceptions: [{ from: 3, bytes: other }] });
  const tags: (string | null)[] = [];
  for (let i = 0; i < 4; i++) {
    const response = await get(url, 0, 100);
    tags.push(response.headers.get('etag'));
    expect(await bytesOf(response)).toEqual((i < 2 ? BYTES : other).slice(0, 100));
  }
  expect(new Set([tags[0], tags[2]]).size).toBe(2);
  expect(tags).toEqual([tags[0], tags[0], tags[2], tags[2]]);

  const second = await start({ file, exceptions: [{ to: 2, status: 503, headers: { 'retry-after': '1' } }] });
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await get(second.url, 0, 1)).status);
  expect(statuses).toEqual([503, 503, 206]);
});

test.each([
  ['none', 200, null, 0, SIZE],
  ['other', 206, `bytes 1064-2063/${SIZE}`, 1064, 2064],
  ['mislabelled', 206, `bytes 1064-2063/${SIZE}`, 1000, 2000],
  ['unlabelled', 206, null, 1000, 2000],
  ['longer', 206, `bytes 1000-${SIZE - 1}/${SIZE}`, 1000, SIZE],
] as const)('wrong ranges: %s', async (ranges, status, label, begin, end) => {
  const { url } = await start({ file, ranges });
  const response = await get(url, 1000, 2000);
  expect(response.status).toBe(status);
  expect(response.headers.get('content-range')).toBe(label);
  expect(await isPart(response, begin, end)).toBe(true);
});

test('a file that ends early, and one whose tail is zeros', async () => {
  const { server, url } = await start({ file, size: 1500 });
  expect((await bytesOf(await get(url, 1000, 2000))).length).toBe(500);
  expect((await get(url, 1500, 2000)).status).toBe(416);
  server.route('model', { file, zerosFrom: 1500 });
  const expected = BYTES.slice(1000, 2000).fill(0, 500);
  expect(await bytesOf(await get(url, 1000, 2000))).toEqual(expected);
});

test.each(['close', 'reset', 'end'] as const)(
  '%s: the body breaks off at exactly that byte of the file',
  async (how) => {
    const { server, url } = await start({ file, cut: { at: 100_007, how } });
    const first = await readAll(await get(url, 1000, 150_000));
    expect(first).toEqual({ length: 99_007, failed: how !== 'end' });
    expect(await readAll(await get(url, 100_008, 100_100))).toEqual({ length: 92, failed: false });
    await settled(server);
    expect(server.requests('model').map(({ sent, outcome }) => [sent, outcome])).toEqual([
      [99_007, 'cut'],
      [92, 'whole'],
    ]);
  },
);

test('each body breaks off after so many bytes', async () => {
  const { url } = await start({ file, cut: { after: 10, how: 'close' } });
  for (const begin of [0, 100_000]) expect((await readAll(await get(url, begin, begin + 50))).length).toBe(10);
});

test('a stall: headers and some bytes come, the rest when it is released', async () => {
  const { server, url } = await start({ file, cut: { at: 70_000, how: 'stall' } });
  const reader = (await get(url, 0, SIZE)).body?.getReader();
  if (!reader) throw new Error('no body');
  let length = 0;
  while (length < 70_000) length += (await reader.read()).value?.length ?? 0;
  expect(length).toBe(70_000);
  expect(server.requests('model').map(({ sent, outcome }) => [sent, outcome])).toEqual([[70_000, 'open']]);
  server.release();
  for (let next = await reader.read(); !next.done; next = await reader.read()) length += next.value.length;
  expect(length).toBe(SIZE);
});

test('a client that leaves is seen, and sending ends', async () => {
  const { server, url } = await start({ file, cut: { at: 0, how: 'stall' } });
  const leaving = new AbortController();
  expect((await fetch(url, { signal: leaving.signal })).status).toBe(200);
  leaving.abort();
  await new Promise((resolve) => setTimeout(resolve, 50));
  server.release();
  await expect.poll(() => server.log[0]?.outcome).toBe('cancelled');
  expect(server.traffic('model').bytes).toBe(0);
});

test('only requests that hold a byte, and only so many times', async () => {
  const { url } = await start({ file, exceptions: [{ holding: 500, times: 1, status: 500 }] });
  expect((await get(url, 0, 500)).status).toBe(206);
  expect((await get(url, 0, 501)).status).toBe(500);
  expect((await get(url, 0, 501)).status).toBe(206);
});

test.each(['whole', 'part'] as const)('compressed on the fly: %s', async (gzip) => {
  const { server, url } = await start({ bytes: new Uint8Array(SIZE), gzip });
  const response = await get(url, 1000, 3000);
  expect(response.status).toBe(gzip === 'whole' ? 200 : 206);
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(response.headers.get('content-length')).toBeNull();
  expect((await bytesOf(response)).length).toBe(gzip === 'whole' ? SIZE : 2000);
  expect(server.traffic('model').bytes).toBeLessThan(1000);
});

test('a page, a pointer, nothing, a status, a redirect', async () => {
  const { server, url } = await start({ bytes: WEB_PAGE, type: 'text/html', ranges: 'none' });
  const page = await get(url, 0, 100);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html']);
  expect(await page.text()).toMatch(/^<!doctype html>/);
  server.route('model', { bytes: lfsPointer(SIZE) });
  expect(await (await get(url, 0, 1000)).text()).toMatch(
    /^version https:\/\/git-lfs.*\noid sha256:\w{64}\nsize 200000\n$/,
  );
  server.route('model', { bytes: EMPTY, ranges: 'none' });
  expect((await bytesOf(await get(url, 0, 100))).length).toBe(0);
  server.route('model', { status: 404 });
  expect((await get(url, 0, 100)).status).toBe(404);
  server.route('model', { redirect: server.route('there', { file }) });
  const redirected = await get(url, 0, 100);
  expect([redirected.redirected, redirected.status]).toEqual([true, 206]);
});

test('what pages of other origins may see', async () => {
  const { server, url } = await start({ file, cors: 'exposed' });
  const header = async (name: string) => (await get(url, 0, 1)).headers.get(name);
  const preflight = () => fetch(url, { method: 'OPTIONS' }).then(({ status }) => status);
  expect(await header('access-control-expose-headers')).toContain('content-range');
  expect(await preflight()).toBe(204);
  server.route('model', { file, cors: 'plain', preflight: false, etag: null });
  expect(await header('access-control-allow-origin')).toBe('*');
  expect(await header('access-control-expose-headers')).toBeNull();
  expect(await header('etag')).toBeNull();
  expect(await preflight()).toBe(405);
  server.route('model', { file });
  expect(await header('access-control-allow-origin')).toBeNull();
});

test('limits of speed: a route’s for each response, the server’s for all together', async () => {
  const { server, url } = await start({ file, bytesPerSecond: 50_000 });
  const seconds = async (work: Promise<unknown>) => {
    const begin = performance.now();
    await work;
    return (performance.now() - begin) / 1000;
  };
  const two = (address: string) =>
    Promise.all([0, 10_000].map(async (at) => bytesOf(await get(address, at, at + 10_000))));
  expect(await seconds(two(url))).toBeGreaterThan(0.19);
  const shared = await start({ file }, { bytesPerSecond: 50_000 });
  expect(await seconds(two(shared.url))).toBeGreaterThan(0.39);
  expect(server.traffic('model').bytes).toBe(20_000);
});

test('an answer that never comes, and every connection broken', async () => {
  const { server, url } = await start({ file, latency: Number.POSITIVE_INFINITY });
  const waiting = get(url, 0, 1).then(
    () => 'answered',
    () => 'failed',
  );
  await expect.poll(() => server.log.length).toBe(1);
  server.breakAll();
  expect(await waiting).toBe('failed');
  server.route('model', { file });
  expect((await get(url, 0, 1)).status).toBe(206);
});

test('a server that is down for a while, at the same address', async () => {
  const { server, url } = await start();
  await server.down();
  await expect(get(url, 0, 1)).rejects.toThrow();
  await server.up();
  expect((await get(url, 0, 1)).status).toBe(206);
  expect(server.log.length).toBe(1);
});
