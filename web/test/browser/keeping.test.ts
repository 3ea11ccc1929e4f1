// A second visit in a real browser: what the page asks of the server again, and what happens when it can't keep.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../../../scripts/lib/browser.mjs';
import { root } from '../../../scripts/setup/paths.mjs';
import { coveredSize } from '../../engine/source/range';
import { startServer, type TestServer } from '../server/server.mjs';
import { inEachBrowser, Visitor } from './browsers';
import { beforeWorker, type Kept, keptBytes, NO_CACHES, NO_FILES, SMALL_QUOTA } from './kept';
import { address } from './models';
import type { Drawn } from './numbers';
import { click, count, figure, OPENING, text, type, until, within } from './view';

const MODEL = 'models/headflow-small.Q8_0.gguf';
const SIZE = statSync(join(root, MODEL)).size;

let server: TestServer;
beforeEach(async () => {
  // So that nothing is seen to be kept which the browser's own cache has kept.
  server = await startServer({ defaults: { headers: { 'cache-control': 'no-store' } } });
});
afterEach(() => server.close());

/** The page with the model by its address: the page's own entry reads it by a manifest, which has a test below. */
const byAddress = (): string => address(server.url, { model: `${server.url}${MODEL}` });

/** Opens the page and waits for the figure and the prediction: all that this prompt needs of the model. */
async function visit(visitor: Visitor, url = byAddress()): Promise<{ page: Page; parts: Drawn[] }> {
  const { page } = await visitor.open(url);
  const parts = await figure(page, { ...OPENING, block: 0, head: 0 });
  await until(async () => (await count(page, within('hf-answer', 'li button'))) === 10);
  return { page, parts };
}

/** How many bytes of the model the server has sent; those that it sent twice count once. */
function sent(): number {
  const ranges = server.requests(MODEL).map(({ range, sent }) => {
    const begin = range?.begin ?? 0;
    return { begin, end: begin + sent };
  });
  return coveredSize(ranges);
}

/** A first visit, which is over once all that has come is kept. */
async function firstVisit(visitor: Visitor, where: keyof Kept = 'files'): Promise<Drawn[]> {
  const { page, parts } = await visit(visitor);
  expect(sent()).toBeGreaterThan(SIZE / 2);
  await until(async () => (await keptBytes(page))[where] >= sent());
  await page.close();
  server.forget();
  return parts;
}

/** A visit that ends when half of the model has come, and is kept; how much that is. */
async function halfWay(visitor: Visitor, end: (page: Page) => Promise<unknown>): Promise<number> {
  server.route(MODEL, { cut: { at: SIZE / 2, how: 'stall' } });
  const { page } = await visitor.open(byAddress());
  await figure(page, { ...OPENING, block: 0, head: 0 });
  await until(async () => server.requests(MODEL).some(({ outcome }) => outcome === 'open'));
  await until(async () => (await keptBytes(page)).files >= sent());
  const came = sent();
  await end(page);
  server.breakAll();
  server.route(MODEL);
  server.forget();
  return came;
}

function expectOneSmallRequest(): void {
  const { requests, bytes } = server.traffic(MODEL);
  expect(requests).toBe(1);
  expect(bytes).toBeLessThanOrEqual(64 * 1024);
}

inEachBrowser(({ name, visitor }) => {
  test('a second visit asks once, for at most 64 KB', async () => {
    const someone = await visitor();
    const before = await firstVisit(someone);
    expect((await visit(someone)).parts).toEqual(before);
    expectOneSmallRequest();
  });

  test('a second visit needs no answer about the model', async () => {
    const someone = await visitor();
    const before = await firstVisit(someone);
    // Firefox itself repeats a request that is reset, so that only a refusal can be counted.
    server.route(MODEL, name === 'Firefox' ? { status: 503 } : { cut: { after: 0, how: 'reset' } });
    expect((await visit(someone)).parts).toEqual(before);
    expectOneSmallRequest();
    if (name !== 'Firefox') expect(server.traffic(MODEL)).toEqual({ requests: 1, bytes: 0 });
  });

  test('a second visit does not wait for long for a server that doesn’t answer', async () => {
    const someone = await visitor();
    const before = await firstVisit(someone);
    server.route(MODEL, { latency: Number.POSITIVE_INFINITY });
    expect((await visit(someone)).parts).toEqual(before);
    server.release();
  });

  test('a file that has changed on the server is loaded anew', async () => {
    const someone = await visitor();
    await firstVisit(someone);
    const bytes = readFileSync(join(root, MODEL));
    bytes.writeUInt8(bytes.readUInt8(SIZE - 4) ^ 1, SIZE - 4);
    server.route(MODEL, { bytes, etag: '"another"' });
    await firstVisit(someone);
    await visit(someone);
    expectOneSmallRequest();
  });

  test('a model with a manifest: the second visit asks for that alone, and opens without an answer too', async () => {
    const someone = await visitor();
    const { page, parts } = await visit(someone, `${server.url}#block=0&head=0`);
    await until(async () => (await keptBytes(page)).files >= sent());
    await page.close();
    for (const answers of [true, false]) {
      server.forget();
      if (!answers) server.route(`${MODEL}.json`, { cut: { after: 0, how: 'reset' } });
      const again = await visit(someone, `${server.url}#block=0&head=0`);
      expect(again.parts).toEqual(parts);
      await again.page.close();
      expect(server.traffic(MODEL).requests).toBe(0);
    }
  });

  test('two tabs: both work, one keeps, and nothing is kept twice', async () => {
    const someone = await visitor();
    const [first, second] = await Promise.all([visit(someone), visit(someone)]);
    expect(second.parts).toEqual(first.parts);
    await until(async () => (await keptBytes(first.page)).files >= sent());
    expect((await keptBytes(first.page)).files).toBeLessThanOrEqual(SIZE);
    await Promise.all([first.page.close(), second.page.close()]);
    server.forget();
    await visit(someone);
    expectOneSmallRequest();
  });

  test('two tabs: the second reads what the first keeps', async () => {
    const someone = await visitor();
    const first = await visit(someone);
    await until(async () => (await keptBytes(first.page)).files >= sent());
    server.forget();
    expect((await visit(someone)).parts).toEqual(first.parts);
    expectOneSmallRequest();
  });

  test('a server without ranges: kept all the same', async () => {
    server.route(MODEL, { ranges: 'none' });
    const someone = await visitor();
    const before = await firstVisit(someone);
    expect((await visit(someone)).parts).toEqual(before);
    expect(server.traffic(MODEL).requests).toBe(1);
  });

  test('a browser without files to write keeps in caches', async () => {
    beforeWorker(server, NO_FILES);
    const someone = await visitor();
    const before = await firstVisit(someone, 'caches');
    expect((await visit(someone)).parts).toEqual(before);
    expectOneSmallRequest();
  });

  test('a browser that denies both works, and keeps nothing', async () => {
    beforeWorker(server, NO_FILES + NO_CACHES);
    const someone = await visitor();
    const { page, parts } = await visit(someone);
    expect(await keptBytes(page)).toEqual({ files: 0, caches: 0 });
    const once = sent();
    await page.close();
    server.forget();
    expect((await visit(someone)).parts).toEqual(parts);
    expect(sent()).toBe(once);
  });

  test('a browser whose room ends in the middle works, and what was kept before is used', async () => {
    beforeWorker(server, SMALL_QUOTA);
    const someone = await visitor();
    const { page, parts } = await visit(someone);
    const once = sent();
    const kept = (await keptBytes(page)).files;
    expect(kept).toBeGreaterThan(SIZE / 10);
    expect(kept).toBeLessThan(once);
    await page.close();
    server.forget();
    expect((await visit(someone)).parts).toEqual(parts);
    expect(sent()).toBeLessThan(once - SIZE / 20);
  });

  test('the page lists what is kept, deletes it, and goes on', async () => {
    const someone = await visitor();
    const { page } = await someone.open(`${byAddress()}&inside=model`);
    const list = (...parts: string[]) => within('hf-inside', 'hf-loading', 'hf-kept', ...parts);
    const row = await text(page, list('tbody tr'), /headflow-small/);
    expect(row).toContain(new URL(server.url).host);
    await text(page, within('hf-inside', 'hf-loading', 'p'), /is kept on this device/);
    await until(async () => (await keptBytes(page)).files >= sent());
    await click(page, list('tbody button'));
    await text(page, list('p'), /^No model is kept/);
    expect(await keptBytes(page)).toEqual({ files: 0, caches: 0 });
    await text(page, within('hf-inside', 'hf-loading', 'p'), /was deleted/);
    await type(page, 'Once upon a time');
    await figure(page, { block: 0, head: 0, tokens: 4 });
    expect(await keptBytes(page)).toEqual({ files: 0, caches: 0 });
  });

  test('a tab that is closed while the model comes: the next visit goes on from there', async () => {
    const someone = await visitor();
    const came = await halfWay(someone, (page) => page.close());
    await visit(someone);
    expect(sent()).toBeLessThan(SIZE - came + 64 * 1024);
  });

  // The driver can't start Firefox again on a profile that it was killed with.
  test.skipIf(name === 'Firefox')('a browser that is killed while the model comes: the same', async () => {
    const profile = mkdtempSync(join(tmpdir(), 'headflow-profile-'));
    const args = [`--user-data-dir=${profile}`];
    try {
      const killed = await launchChromium(args);
      const exit = new Promise((resolve) => killed.process()?.once('exit', resolve));
      const came = await halfWay(new Visitor(killed.defaultBrowserContext()), () => {
        killed.process()?.kill('SIGKILL');
        return exit;
      });
      const again = await launchChromium(args);
      await visit(new Visitor(again.defaultBrowserContext()));
      expect(sent()).toBeLessThan(SIZE - came + 64 * 1024);
      await again.close();
    } finally {
      rmSync(profile, { recursive: true, maxRetries: 10 });
    }
  });
});
