// How many bytes and requests the first attention of GPT-2 small takes, counted by the server that sends them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from 'gpt-tokenizer/encoding/r50k_base';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startServer, type TestServer } from '../../test/server/server.mjs';
import { texts } from '../../test/texts';
import { type Extent, writeUntied } from '../../test/untied';
import { openSource } from '../node';
import { UrlSource } from '../source/url';

const shaped = fileURLToPath(new URL('../../../build/testdata/gpt2-small-shaped.Q8_0.gguf', import.meta.url));

vi.setConfig({ testTimeout: 60_000 });

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

/** The traffic until block 0's attention for these tokens is computed. */
async function firstAttention(tokens: readonly number[]) {
  const engine = await openSource(new UrlSource(server.route('m.gguf', { file: shaped })));
  const session = await engine.createSession();
  await session.setTokens(tokens);
  await session.run({ kind: 'attention', block: 0 }, true);
  await engine.close();
  return server.traffic('m.gguf');
}

/** Bytes of a part of the file that were sent. */
const sentOf = (part: Extent): number =>
  server.requests('m.gguf').reduce((sum, { range, sent }) => {
    const begin = range?.begin ?? 0;
    return sum + Math.max(0, Math.min(part.end, begin + sent) - Math.max(part.begin, begin));
  }, 0);

test('a short prompt: 4.6 MB in 12 requests', async () => {
  const { bytes, requests } = await firstAttention(encode('How are'));
  expect(bytes).toBeLessThanOrEqual(4.6e6);
  expect(requests).toBeLessThanOrEqual(12);
});

test.each(texts)('64 tokens, $kind: 5.2 MB in 56 requests', async ({ tokens }) => {
  const { bytes, requests } = await firstAttention(tokens);
  expect(bytes).toBeLessThanOrEqual(5.2e6);
  expect(requests).toBeLessThanOrEqual(56);
});

test('an output matrix of its own: only rows of the embedding, and the output when it is asked for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headflow-'));
  try {
    const file = join(folder, 'untied.gguf');
    const { embedding, output } = writeUntied(shaped, file);
    const engine = await openSource(new UrlSource(server.route('m.gguf', { file })));
    expect(engine.info.tiedOutput).toBe(false);
    const session = await engine.createSession();
    await session.setTokens(encode('How are'));
    await session.run({ kind: 'mlp', block: 11 }, false);
    expect(sentOf(output)).toBe(0);
    expect((await session.next(1)).length).toBe(1);
    expect(sentOf(output)).toBe(50_257 * 816); // rows of 768 in Q8_0
    expect(sentOf(embedding)).toBeGreaterThan(0);
    expect(sentOf(embedding)).toBeLessThan(200_000);
    await engine.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
