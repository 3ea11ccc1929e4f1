// The page without its server, when its server has a newer one, and where browsers keep nothing.
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { precache } from '../../../scripts/precache.mjs';
import { root } from '../../../scripts/setup/paths.mjs';
import { startServer, type TestServer } from '../server/server.mjs';
import { inEachBrowser, LAN, type Visitor } from './browsers';
import { count, figure, OPENING, text, type, until, within } from './view';

let folder: string;
let server: TestServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headflow-'));
  cpSync(join(root, 'dist'), folder, { recursive: true });
  server = await startServer({ base: '/a/b/', folder });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const line = (page: Page, pattern: RegExp) => text(page, within('.offline'), pattern);

/** Another version in place of the first: other text, and every script, style and module under another name. */
async function deploy(): Promise<void> {
  renameSync(join(folder, 'assets'), join(folder, 'later'));
  const scripts = readdirSync(join(folder, 'later')).filter((name) => name.endsWith('.js'));
  for (const name of ['index.html', ...scripts.map((script) => join('later', script))]) {
    const before = readFileSync(join(folder, name), 'utf8');
    const after = before.replaceAll('assets/', 'later/').replace('<title>Headflow<', '<title>Headflow, later<');
    writeFileSync(join(folder, name), after);
  }
  await precache.writeBundle({ dir: folder });
}

/** Comes again until the newer page is there: a browser lets the old one go when it has time. */
async function comeAgain(visitor: Visitor, title: string): Promise<Page> {
  return until(async () => {
    const { page } = await visitor.open(server.url);
    if ((await page.title()) === title) return page;
    await page.close();
    return null;
  });
}

inEachBrowser(({ visitor }) => {
  test('opens offline after the first visit, and keeps no model in its caches', async () => {
    const someone = await visitor();
    const first = await someone.open(server.url);
    const before = await figure(first.page, OPENING);
    await line(first.page, /opens offline/);
    await first.page.close();
    await server.down();
    const again = await someone.open(`${server.url}index.html?from=a+bookmark#block=3&head=2`);
    expect(await figure(again.page, OPENING)).toEqual(before);
    await line(again.page, /opens offline/);
    const kept = await again.page.evaluate(async () => {
      const requests = [];
      for (const name of await caches.keys()) requests.push(...(await (await caches.open(name)).keys()));
      return requests.map(({ url }) => url);
    });
    expect(kept.some((url) => url.includes('.wasm'))).toBe(true);
    expect(kept.filter((url) => /\.(gguf|part)/.test(url))).toEqual([]);
    await server.up();
  });

  test('what is said to work offline works at once: later parts of the page, and a longer prompt', async () => {
    const { page } = await (await visitor()).open(server.url);
    await figure(page, OPENING);
    await line(page, /^This page opens offline/);
    await server.down();
    await type(page, `${'The cat sat on the mat and the dog sat on the log. '.repeat(8)}Zebras`);
    await until(async () => (await count(page, within('hf-answer', 'li button'))) === 10);
    await page.evaluate(() => {
      location.hash += '&inside=model';
    });
    await text(page, within('hf-inside', 'hf-loading', 'p'), /is loaded/);
    await server.up();
  });

  test('an old page keeps its own engine while it is open; then the newer one comes', async () => {
    const someone = await visitor();
    const first = await someone.open(server.url);
    await line(first.page, /opens offline/);
    await deploy();
    server.forget();
    const second = await someone.open(server.url);
    expect(await second.page.title()).toBe('Headflow');
    await line(second.page, /newer version/);
    await figure(second.page, OPENING);
    expect(second.complaints).toEqual([]);
    // The server has no such files any more.
    expect(server.log.filter(({ path }) => path.includes('/assets/'))).toEqual([]);
    await first.page.close();
    await second.page.close();
    const newer = await comeAgain(someone, 'Headflow, later');
    await figure(newer, OPENING);
  });

  test('over plain http from another machine it works, and says that nothing is kept', async () => {
    const { page } = await (await visitor()).open(server.url.replace('127.0.0.1', LAN));
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await figure(page, OPENING);
    await line(page, /plain http/);
  });
});
