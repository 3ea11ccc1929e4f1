// The page in Chromium and in Firefox: it opens, draws the engine's numbers, and asks nobody but its own server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../server/server.mjs';
import { inEachBrowser } from './browsers';
import { embedded } from './models';
import { expectSameNumbers } from './numbers';
import { click, count, figure, mapCell, OPENING, OPENING_PROMPT, text, type, until, within } from './view';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ base: '/some/where/' });
});
afterAll(() => server.close());

inEachBrowser(({ visitor }) => {
  test('opens with the embedded model beneath any path; its numbers are the command’s', async () => {
    const { page, complaints, requests } = await (await visitor()).open(server.url);
    const parts = await figure(page, OPENING);
    expectSameNumbers(parts, embedded, OPENING_PROMPT);
    await until(async () => (await count(page, within('hf-answer', 'li button'))) === 10);
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => new URL(url).origin !== new URL(server.url).origin)).toEqual([]);
  });

  test('follows typing and choices, and the address returns to them', async () => {
    const someone = await visitor();
    const { page } = await someone.open(server.url);
    await figure(page, OPENING);
    await type(page, 'How are');
    await figure(page, { ...OPENING, tokens: 2 });
    await click(page, mapCell(1, 5));
    await figure(page, { block: 1, head: 5, tokens: 2 });
    const again = await someone.open(page.url());
    await figure(again.page, { block: 1, head: 5, tokens: 2 });
    expect(await text(again.page, within('hf-answer', 'li button'))).not.toBe('');
  });
});
