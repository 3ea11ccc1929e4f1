// A model in pieces with hashes, in either browser: read by ranges like one file, and refused where a byte is wrong.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../../scripts/setup/paths.mjs';
import { startServer, type TestServer } from '../server/server.mjs';
import { inEachBrowser } from './browsers';
import { embedded } from './models';
import { expectSameNumbers } from './numbers';
import { click, count, figure, text, until, within } from './view';

const folder = mkdtempSync(join(tmpdir(), 'headflow-'));
const MANIFEST = 'headflow-small.Q8_0.gguf.json';

let server: TestServer;
beforeAll(async () => {
  execFileSync(join(root, 'build', 'cli', 'headflow'), ['shard', embedded, '--size', '1MB', '--out', folder]);
  server = await startServer();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Serves the pieces below a path of their own, one with a bit flipped on the way if asked to; the manifest's address. */
function serve(path: string, damaged?: string): string {
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    const middle = bytes.length >> 1;
    if (name === damaged) bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    server.route(`${path}/${name}`, { bytes, etag: '"same"' });
  }
  return `${server.url}${path}/${MANIFEST}`;
}

const fragment = (model: string) => `#model=${encodeURIComponent(model)}&prompt=How+are`;

inEachBrowser(({ name, visitor }) => {
  test('pieces are read by ranges; the numbers are the command’s', async () => {
    const model = serve(`pieces-${name}`);
    const { page, complaints } = await (await visitor()).open(`${server.url}${fragment(model)}&load=shown`);
    const parts = await figure(page, { block: 0, head: 0, tokens: 2 });
    expectSameNumbers(parts, embedded, 'How are');
    const asked = server.log.filter(({ path }) => path.includes(`pieces-${name}/`));
    expect(asked.reduce((sum, { sent }) => sum + sent, 0)).toBeLessThan(1e6);
    expect(complaints).toEqual([]);
  });

  test('a flipped bit is named, nothing is computed with it, and a right copy is taken then', async () => {
    const damaged = 'headflow-small.Q8_0.gguf-00003-of-00005.part';
    const model = serve(`flipped-${name}`, damaged);
    const { page } = await (await visitor()).open(`${server.url}${fragment(model)}`);
    const said = await text(page, within('hf-notice', '.text'), /SHA-256/);
    expect(said).toMatch(/Tensor \S+ of headflow-small\.Q8_0\.gguf: SHA-256 is [0-9a-f]{64}, expected [0-9a-f]{64}/);
    expect(await count(page, within('hf-answer', 'li button:not(.quiet)'))).toBe(0);
    serve(`flipped-${name}`);
    await click(page, within('hf-notice', '.allow'));
    await until(async () => (await count(page, within('hf-answer', 'li button'))) >= 10);
  });
});
