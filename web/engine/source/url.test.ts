// A model over HTTP: ranges, servers without them, and everything that a server can answer instead of a model.
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { ThreadEngine } from '../instance';
import { directly } from '../loader/transport';
import { openSource, openTransport } from '../node';
import { embeddedModelBytes } from '../testing/models';
import { Gate } from '../testing/watched';
import { RetryingSource } from './retrying';
import { ShardSource } from './shards';
import { Traffic } from './traffic';
import { RangePolicy, UrlSource } from './url';

const OWN_MANIFEST = new URL('../../../models/headflow-small.Q8_0.gguf.json', import.meta.url);
const BYTES = embeddedModelBytes();
const LOGITS = { kind: 'logits', block: 0 } as const;

let server: Server | undefined;
const opened: ThreadEngine[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/model.gguf`;
}

async function open(url: string): Promise<ThreadEngine> {
  const engine = await openSource(new UrlSource(url));
  opened.push(engine);
  return engine;
}

async function runAll(engine: ThreadEngine): Promise<void> {
  const session = await engine.createSession();
  await session.setTokens((await engine.tokenize('The cat sat')).map(({ id }) => id));
  await session.run(LOGITS, false);
}

/** [begin, end) of the request's Range header. */
function askedFor(header: string | undefined): [number, number] {
  const [, first, last] = header?.match(/^bytes=(\d+)-(\d+)$/) ?? [];
  return [Number(first), Math.min(BYTES.length, Number(last) + 1)];
}

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
  server?.closeAllConnections();
  server?.close();
});

test('ranges', async () => {
  let sent = 0;
  const url = await serve((request, response) => {
    const [begin, end] = askedFor(request.headers.range);
    sent += end - begin;
    response.writeHead(206, { 'content-range': `bytes ${begin}-${end - 1}/${BYTES.length}` });
    response.end(BYTES.subarray(begin, end));
  });
  const engine = await open(url);
  expect(sent).toBeLessThan(BYTES.length / 5);
  await runAll(engine);
  expect(sent).toBeLessThan(BYTES.length * 1.1);
});

test('a server without ranges sends the whole file once', async () => {
  let requests = 0;
  const url = await serve((_, response) => {
    ++requests;
    response.writeHead(200, { 'content-length': BYTES.length });
    response.end(BYTES);
  });
  await runAll(await open(url));
  expect(requests).toBe(1);
});

test('attention is computed while a whole file is still coming', async () => {
  const half = BYTES.length / 2;
  const rest = new Gate();
  const url = await serve(async (_, response) => {
    response.writeHead(200, { 'content-length': BYTES.length });
    response.write(BYTES.subarray(0, half));
    await rest.opened;
    response.end(BYTES.subarray(half));
  });
  const engine = await open(url);
  const session = await engine.createSession();
  await session.setTokens([1, 2, 3]);
  await session.run({ kind: 'attention', block: 0 }, true);
  rest.open();
  await session.run(LOGITS, false);
});

test.each([
  ['a missing file', 404, 'text/plain', 'no', 'http', '404 Not Found'],
  ['a server error', 500, 'text/plain', 'no', 'server', '500'],
  ['a web page', 200, 'text/html; charset=utf-8', '<!doctype html>', 'http', 'web page'],
  [
    'something else',
    200,
    'application/octet-stream',
    '{"not": "a model, but long enough to be read"}',
    'bad_magic',
    '',
  ],
  ['nothing', 200, 'application/octet-stream', '', 'truncated', ''],
  ['an empty range', 416, 'text/plain', '', 'truncated', ''],
])('%s', async (_, status, type, body, code, message) => {
  const url = await serve((_request, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  });
  const failure = await open(url).catch((error) => error);
  expect(failure).toMatchObject({ name: 'EngineError', code });
  expect(failure.message).toContain(message);
});

test.each([
  [401, /is the file public/],
  [403, /is the file public/],
  [404, /Check the address/],
  [503, /Try again in a moment/],
])('the hint after status %i', async (status, hint) => {
  const url = await serve((_, response) => void response.writeHead(status).end());
  await expect(open(url)).rejects.toMatchObject({ message: expect.stringMatching(hint) });
});

const part = (range: string | undefined) => {
  const [begin, end] = askedFor(range);
  return { begin, bytes: BYTES.subarray(begin, end), range: `bytes ${begin}-${end - 1}/${BYTES.length}` };
};

test('no request asks by a validator: a weak one must not be used so', async () => {
  const asked: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    asked.push(request.headers['if-range'] as string | undefined);
    const { bytes, range } = part(request.headers.range);
    response.writeHead(206, { 'content-range': range, etag: 'W/"a"' }).end(bytes);
  });
  await runAll(await open(url));
  expect(new Set(asked)).toEqual(new Set([undefined]));
});

test('a server that sends parts, then the whole: it is said, and read once, when it is asked for again', async () => {
  let whole = false;
  const url = await serve((request, response) => {
    const { bytes, range } = part(request.headers.range);
    if (whole) response.writeHead(200, { 'content-length': BYTES.length }).end(BYTES);
    else response.writeHead(206, { 'content-range': range }).end(bytes);
  });
  const [traffic, policy] = [new Traffic(), new RangePolicy()];
  const allowWhole = () => {
    policy.wholeAllowed = true;
  };
  const engine = await openTransport({ ...directly(new UrlSource(url, traffic, policy)), traffic, allowWhole });
  opened.push(engine);
  const session = await engine.createSession();
  await session.setTokens([400, 3000, 9000].map((id) => id % engine.info.config.vocabularySize));
  whole = true;
  const header = traffic.received;
  const goal = { kind: 'mlp', block: 0 } as const;
  const announced = await session.lacking(goal);
  await expect(session.run(goal, true)).rejects.toMatchObject({ code: 'no_ranges' });
  expect(traffic.received - header).toBeLessThanOrEqual(announced);
  const before = traffic.received;
  const whence = await session.lacking(goal);
  expect(whence).toBeGreaterThan(announced);
  await session.run(goal, true);
  expect(traffic.received - before).toBeLessThan(whence + 128 * 1024);
  await session.run(LOGITS, true);
  expect(traffic.received - before).toBeLessThanOrEqual(BYTES.length);
});

test('a manifest on a server that does not say what its ranges are of', async () => {
  const manifest = JSON.parse(readFileSync(OWN_MANIFEST, 'utf8'));
  const url = await serve((request, response) => {
    const isManifest = request.url?.endsWith('.json');
    const bytes = isManifest ? readFileSync(OWN_MANIFEST) : BYTES;
    if (request.headers.range === undefined) {
      response.end(bytes);
      return;
    }
    const [, first, last] = request.headers.range.match(/(\d+)-(\d+)/) ?? [];
    response.writeHead(206).end(bytes.subarray(Number(first), Number(last) + 1));
  });
  const { href } = new URL('m.gguf.json', url);
  const retrying = (address: string) => new RetryingSource(new UrlSource(address), () => undefined);
  const source = new ShardSource(href, retrying);
  expect((await source.manifest(new AbortController().signal)).size).toBe(manifest.size);
  await runAll(await open(url));
});

test('no server', async () => {
  await expect(open('http://127.0.0.1:1/model.gguf')).rejects.toMatchObject({ name: 'EngineError', code: 'network' });
});

test('a connection that breaks off', async () => {
  const url = await serve((request, response) => {
    const [begin, end] = askedFor(request.headers.range);
    response.writeHead(206, {
      'content-range': `bytes ${begin}-${end - 1}/${BYTES.length}`,
      'content-length': end - begin,
    });
    if (begin === 0) response.end(BYTES.subarray(begin, end));
    else response.write(BYTES.subarray(begin, begin + 1000), () => response.destroy());
  });
  const engine = await open(url);
  await expect(runAll(engine)).rejects.toMatchObject({ name: 'EngineError', code: 'network' });
});

test('a whole file that ends too early', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200);
    response.write(BYTES.subarray(0, BYTES.length / 2));
    response.end();
  });
  const engine = await open(url);
  await expect(runAll(engine)).rejects.toMatchObject({ name: 'EngineError', code: 'truncated' });
});
