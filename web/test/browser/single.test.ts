// The one-file page, opened from the disk: it asks nobody, computes the same numbers, and takes a model of the reader's.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../../scripts/setup/paths.mjs';
import { startServer, type TestServer } from '../server/server.mjs';
import { inEachBrowser } from './browsers';
import { embedded, mini } from './models';
import { expectSameNumbers } from './numbers';
import { click, count, figure, mapCell, OPENING, text, type, until, within } from './view';

// Beneath a name that an address has to spell otherwise.
const folder = mkdtempSync(join(tmpdir(), 'headflow #1 '));
const path = join(folder, 'head flow.html');
const url = pathToFileURL(path).href;

let server: TestServer;
beforeAll(async () => {
  copyFileSync(join(root, 'dist-single', 'headflow.html'), path);
  server = await startServer();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const outside = (requests: readonly string[]) => requests.filter((asked) => !/^(file|blob|data):/.test(asked));

/** Drops a file of the disk on the page. */
async function drop(page: Page, file: string): Promise<void> {
  const base64 = readFileSync(file).toString('base64');
  await page.evaluate((content) => {
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], 'dropped.gguf'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, composed: true }));
  }, base64);
}

test('weighs at most 1.4 times its model and a megabyte', () => {
  expect(statSync(path).size).toBeLessThanOrEqual(1.4 * statSync(embedded).size + 1e6);
});

inEachBrowser(({ visitor }) => {
  test('opens by itself, with the numbers of the page on a server', async () => {
    const someone = await visitor();
    const { page, requests, complaints } = await someone.open(url);
    const parts = await figure(page, OPENING);
    await until(async () => (await count(page, within('hf-answer', 'li'))) === 10);
    expect(outside(requests)).toEqual([]);
    expect(complaints).toEqual([]);
    const served = await someone.open(server.url);
    expect(parts).toEqual(await figure(served.page, OPENING));
  });

  test('the address says what is shown, and opens it again', async () => {
    const someone = await visitor();
    const { page } = await someone.open(url);
    await type(page, 'How are');
    await figure(page, { ...OPENING, tokens: 2 });
    await click(page, mapCell(1, 2));
    await figure(page, { block: 1, head: 2, tokens: 2 });
    expect(page.url()).toBe(`${url}#prompt=How+are&block=1&head=2`);
    const again = await someone.open(page.url());
    await figure(again.page, { block: 1, head: 2, tokens: 2 });
    await again.page.evaluate(() => history.pushState(null, '', '#prompt=How+are+you'));
    await again.page.evaluate(() => void setTimeout(() => history.back()));
    await figure(again.page, { block: 1, head: 2, tokens: 2 });
    expect(again.complaints).toEqual([]);
  });

  test('a model that is dropped on it opens', async () => {
    const { page, requests, complaints } = await (await visitor()).open(`${url}#prompt=Hi`);
    await figure(page, { block: 0, head: 0, tokens: 1 });
    await drop(page, mini);
    expect(await text(page, within('hf-options', '#model option:checked'), /dropped/)).toBe('dropped.gguf');
    const parts = await figure(page, { block: 0, head: 0, tokens: 2 });
    expectSameNumbers(parts, mini, 'Hi');
    expect(outside(requests)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
