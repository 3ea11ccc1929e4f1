// What the page fetches, counted by the server that sends it: first figures after few megabytes, and nothing unasked.
import { encode } from 'gpt-tokenizer/encoding/r50k_base';
import type { Page } from 'puppeteer-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Logged, Traffic } from '../server/options';
import { startServer, type TestServer } from '../server/server.mjs';
import { texts } from '../texts';
import { inEachBrowser } from './browsers';
import { address, shaped } from './models';
import { blockCount, click, count, figure, OPENING, text, type, until, within } from './view';

let server: TestServer;
let model: string;
beforeEach(async () => {
  server = await startServer();
  model = server.route('m.gguf', { file: shaped });
});
afterEach(() => server.close());

const answerNeeds = within('hf-answer', 'li button.quiet');

/** What the page asked for; a browser asks for a page's icon anew when its fragment changes. */
const asked = (): readonly Logged[] => server.requests(({ path }) => !/icon.*\.svg$/.test(path));

/** From here on: the page's files are kept for offline use by now, which takes requests of its own. */
async function forgetRequests(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  server.forget();
}

function expectAtMost({ bytes, requests }: Traffic, mostBytes: number, mostRequests: number): void {
  expect(bytes).toBeLessThanOrEqual(mostBytes);
  expect(requests).toBeLessThanOrEqual(mostRequests);
  expect(bytes).toBeGreaterThan(mostBytes / 2);
}

inEachBrowser(({ visitor, name }) => {
  test('GPT-2 small, "How are": block 0’s attention after 4.6 MB in 12 requests, and no more without a click', async () => {
    const { page } = await (await visitor()).open(address(server.url, { model, prompt: 'How are', load: 'shown' }));
    await figure(page, { block: 0, head: 0, tokens: 2 });
    await text(page, answerNeeds, /MB/);
    expectAtMost(server.traffic('m.gguf'), 4.6e6, 12);
  });

  // One kind in Firefox: what is asked for does not depend on the browser.
  test.each(name === 'Chromium' ? texts.slice(0, 5) : texts.slice(0, 1))(
    'GPT-2 small, 64 tokens, $kind: block 0’s attention after 5.2 MB in 56 requests',
    async ({ text: prompt, tokens }) => {
      const { page } = await (await visitor()).open(address(server.url, { model, prompt, load: 'shown' }));
      await figure(page, { block: 0, head: 0, tokens: tokens.length });
      await text(page, answerNeeds, /MB/);
      expectAtMost(server.traffic('m.gguf'), 5.2e6, 56);
    },
  );

  test('the embedded model: block 0’s attention after 1 MB', async () => {
    const { page } = await (await visitor()).open(address(server.url, { block: '0', head: '0', load: 'shown' }));
    await figure(page, { ...OPENING, block: 0, head: 0 });
    await text(page, answerNeeds, /[KM]B/);
    const traffic = server.traffic(({ path }) => path.endsWith('.gguf'));
    expect(traffic.bytes).toBeLessThanOrEqual(1e6);
    expect(traffic.bytes).toBeGreaterThan(1e5);
  });

  test('typing makes no request but for ranges of the model', async () => {
    const { page } = await (await visitor()).open(address(server.url, { model, prompt: 'How', load: 'shown' }));
    await figure(page, { block: 0, head: 0, tokens: 1 });
    await text(page, answerNeeds, /MB/);
    await forgetRequests(page);
    const prompt = 'How are zebras painted';
    await type(page, prompt);
    await figure(page, { block: 0, head: 0, tokens: encode(prompt).length });
    await text(page, answerNeeds, /MB/);
    const kinds = asked().map(({ path, range }) => (range ? `range of ${path}` : path));
    expect(new Set(kinds)).toEqual(new Set(['range of /m.gguf']));
    expect(server.traffic('m.gguf').bytes).toBeLessThan(200_000);
  });

  test('once a model is whole, typing makes no request at all', async () => {
    const { page } = await (await visitor()).open(server.url);
    await until(async () => (await count(page, within('hf-answer', 'li button'))) === 10);
    await forgetRequests(page);
    await type(page, 'How are');
    await figure(page, { ...OPENING, tokens: 2 });
    await until(async () => (await count(page, within('hf-answer', 'li button'))) === 10);
    expect(asked()).toEqual([]);
  });

  test('another host is asked nothing before a click', async () => {
    const other = await startServer();
    try {
      const foreign = other.route('m.gguf', { file: shaped, cors: 'exposed' });
      const { page, requests } = await (await visitor()).open(
        address(server.url, { model: foreign, prompt: 'How are', load: 'shown' }),
      );
      await figure(page, { block: 0, head: 0, tokens: 2 });
      expect(await text(page, within('hf-notice', '.text'))).toContain(new URL(other.url).host);
      expect(other.log).toEqual([]);
      expect(requests.filter((url) => new URL(url).origin !== new URL(server.url).origin)).toEqual([]);
      await click(page, within('hf-notice', '.allow'));
      await until(async () => (await blockCount(page)) === 12);
      await figure(page, { block: 0, head: 0, tokens: 2 });
      expectAtMost(other.traffic('m.gguf'), 4.6e6, 12);
    } finally {
      await other.close();
    }
  });
});
