// `npm run model` from a server of its own: download, checks, the note of the hash, and an interruption by a signal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, test, vi } from 'vitest';
import { mini, scratchFolder } from './command';

// Each test starts several processes.
vi.setConfig({ testTimeout: 120_000 });

const scratch = scratchFolder();
const script = join(import.meta.dirname, '..', '..', 'scripts', 'model.mjs');
const whole = readFileSync(mini);

/** What is sent of the next answer, which then stays open. */
let sent = Number.POSITIVE_INFINITY;
let file: Uint8Array = whole;
const ranges: (string | undefined)[] = [];
const server = createServer((request, response) => {
  ranges.push(request.headers.range);
  const begin = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const range = begin > 0 ? { 'content-range': `bytes ${begin}-${file.length - 1}/${file.length}` } : {};
  response.writeHead(begin > 0 ? 206 : 200, { etag: '"1"', 'content-length': file.length - begin, ...range });
  if (sent < file.length) response.write(file.subarray(begin, sent));
  else response.end(file.subarray(begin));
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/m.gguf`;
const placeIn = (folder: string) => join(folder, 'QuantFactory', 'gpt2-GGUF', 'gpt2.Q8_0.gguf');

function start(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, [script, 'gpt2', '--folder', folder, ...args]);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  return { child, ended: once(child, 'close').then(([status]) => ({ status: status as number, stdout, stderr })) };
}

const run = (folder: string, ...args: string[]) => start(folder, '--from', address(), ...args).ended;

test('a model is downloaded and checked, and the hash that was seen is noted', async () => {
  const folder = join(scratch, 'good');
  const { status, stdout, stderr } = await run(folder);
  assert.equal(status, 0, stderr);
  const hash = createHash('sha256').update(whole).digest('hex');
  assert.ok(readFileSync(placeIn(folder)).equals(whole));
  assert.match(stdout, /Structure: \d+ tensors; its \d+ bytes are those of its directory/);
  assert.ok(stdout.includes(`SHA-256: ${hash}. This is what was seen, not a known-good hash: none is known here.`));
  const note = readFileSync(`${placeIn(folder)}.sha256`, 'utf8');
  assert.ok(note.includes(address()) && note.endsWith(`\n${hash}  gpt2.Q8_0.gguf\n`));

  const again = await run(folder);
  assert.equal(again.status, 0, again.stderr);
  assert.match(again.stdout, /is there already/);

  const changed = Buffer.from(whole);
  changed[changed.length - 40] = (changed[changed.length - 40] ?? 0) ^ 1;
  writeFileSync(placeIn(folder), changed);
  const refused = await run(folder);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, new RegExp(`but ${hash} was noted when it came`));
});

test('interrupted by a signal, it goes on from there', async () => {
  const folder = join(scratch, 'interrupted');
  sent = 100_000;
  const { child, ended } = start(folder, '--from', address());
  while (!existsSync(`${placeIn(folder)}.part`) || readFileSync(`${placeIn(folder)}.part`).length < sent) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill('SIGINT');
  const { status, stderr } = await ended;
  assert.equal(status, 130);
  assert.match(stderr, /Interrupted\. What has come is kept/);
  sent = Number.POSITIVE_INFINITY;
  ranges.length = 0;
  const again = await run(folder);
  assert.equal(again.status, 0, again.stderr);
  assert.deepEqual(ranges, ['bytes=100000-']);
  assert.ok(readFileSync(placeIn(folder)).equals(whole));
});

test('a file that is not what its directory says stays, and is refused', async () => {
  const folder = join(scratch, 'short');
  file = whole.subarray(0, whole.length - 5000);
  const { status, stderr } = await run(folder);
  file = whole;
  assert.equal(status, 1);
  assert.match(stderr, /its structure is not right: headflow: .*\n.*delete it to download it anew/);
  assert.ok(existsSync(placeIn(folder)));
});

test('wrong usage has exit code 2', async () => {
  assert.equal((await start(scratch, 'gpt3').ended).status, 2);
  assert.equal((await start(scratch, '--from', 'ftp://a').ended).status, 2);
  assert.equal((await start(scratch, '--what').ended).status, 2);
});
