// Downloads against a server that breaks off, changes its file, knows no ranges or has something else.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { DownloadError, download } from './download.mjs';

const FILE = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, i) => (i * 2654435761) >>> 24));
const OTHER = FILE.map((byte) => byte ^ 1);

/** How the server behaves at present. */
const server = { file: FILE, etag: '"one"', ranges: true, cut: Number.POSITIVE_INFINITY, answer: null, asked: [] };
const http = createServer((request, response) => {
  server.asked.push(request.headers);
  if (server.answer) return server.answer(response);
  const { file, etag } = server;
  const isSame = request.headers['if-range'] === etag;
  const begin = server.ranges && isSame ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
  const partial = begin > 0 ? { 'content-range': `bytes ${begin}-${file.length - 1}/${file.length}` } : {};
  response.writeHead(begin > 0 ? 206 : 200, { etag, 'content-length': file.length - begin, ...partial });
  if (file.length - begin <= server.cut) return response.end(file.subarray(begin));
  return response.write(file.subarray(begin, begin + server.cut), () => setTimeout(() => response.destroy(), 50));
});
await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${http.address().port}/m.gguf`;
const folder = mkdtempSync(join(tmpdir(), 'headflow-'));
after(() => {
  http.close();
  http.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const path = join(folder, 'deep', 'm.gguf');
const part = `${path}.part`;
beforeEach(() => {
  Object.assign(server, { file: FILE, etag: '"one"', ranges: true, cut: Number.POSITIVE_INFINITY, answer: null });
  server.asked.length = 0;
  rmSync(join(folder, 'deep'), { recursive: true, force: true });
});

const isWhole = (bytes = FILE) => {
  assert.ok(readFileSync(path).equals(bytes));
  assert.ok(!existsSync(part));
  assert.ok(!existsSync(`${part}.json`));
};
const breaksOff = async () => {
  server.cut = 100_000;
  await assert.rejects(download({ url, path }), DownloadError);
  server.cut = Number.POSITIVE_INFINITY;
  assert.ok(!existsSync(path));
  return statSync(part).size;
};

test('a file in one go, with its progress', async () => {
  const seen = [];
  await download({ url, path, onProgress: (have, size) => seen.push([have, size]) });
  isWhole();
  assert.deepEqual(seen.at(-1), [FILE.length, FILE.length]);
});

test('what broke off goes on where it stopped', async () => {
  const have = await breaksOff();
  assert.ok(have > 0 && have <= 100_000);
  await download({ url, path });
  isWhole();
  assert.equal(server.asked[1].range, `bytes=${have}-`);
  assert.equal(server.asked[1]['if-range'], '"one"');
});

test('an interruption keeps what has come', async () => {
  const stop = new AbortController();
  const onProgress = () => stop.abort(new Error('interrupted'));
  await assert.rejects(download({ url, path, signal: stop.signal, onProgress }), /interrupted/);
  const have = statSync(part).size;
  assert.ok(have > 0);
  await download({ url, path });
  isWhole();
});

test('a file that has changed starts anew', async () => {
  await breaksOff();
  Object.assign(server, { file: OTHER, etag: '"two"' });
  await download({ url, path });
  isWhole(OTHER);
});

test('a server that sends the rest of another size starts anew', async () => {
  await breaksOff();
  server.file = Buffer.concat([OTHER, OTHER]);
  await download({ url, path });
  isWhole(server.file);
  assert.equal(server.asked.length, 3);
});

test('a server that knows no ranges starts anew', async () => {
  await breaksOff();
  server.ranges = false;
  await download({ url, path });
  isWhole();
});

test('without a validator that says that bytes are the same, it starts anew', async () => {
  server.etag = 'W/"weak"';
  await breaksOff();
  await download({ url, path });
  isWhole();
  assert.equal(server.asked[1].range, undefined);
});

test('the part of another address is not gone on with', async () => {
  await breaksOff();
  await download({ url: `${url}?other`, path });
  isWhole();
  assert.equal(server.asked[1].range, undefined);
});

test('a range that the server finds wrong starts anew', async () => {
  await breaksOff();
  server.answer = (response) => {
    server.answer = null;
    response.writeHead(416).end();
  };
  await download({ url, path });
  isWhole();
});

test('what is no file is said, and what has come stays', async () => {
  const have = await breaksOff();
  server.answer = (response) => response.writeHead(503).end('busy');
  await assert.rejects(download({ url, path }), /503 Service Unavailable/);
  server.answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
  await assert.rejects(download({ url, path }), /got a web page/);
  assert.equal(statSync(part).size, have);
  server.answer = null;
  await download({ url, path });
  isWhole();
  await assert.rejects(download({ url: 'http://127.0.0.1:1/m', path }), /could not be reached/);
});
