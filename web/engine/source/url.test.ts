// A model over HTTP: ranges, servers without them, and everything that a server can answer instead of a model.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { ThreadEngine } from '../instance';
import { openSource } from '../node';
import { embeddedModelBytes } from '../testing/models';
import { Gate } from '../testing/watched';
import { UrlSource } from './url';

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
