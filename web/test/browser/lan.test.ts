// The page over plain http from another machine, as in a classroom: browsers then give it no storage, no service worker
// and no hashing, and it works all the same.
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../server/server.mjs';
import { inEachBrowser } from './browsers';
import { address, embedded, mini } from './models';
import { expectSameNumbers } from './numbers';
import { blockCount, count, figure, OPENING, OPENING_PROMPT, text, type, until, within } from './view';

const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
if (own === undefined) console.warn('Left out: this machine has no network address of its own.');

describe.skipIf(own === undefined)('over plain http from an address that is not localhost', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ host: own ?? '' });
  });
  afterAll(() => server.close());

  const isAnswered = (page: Parameters<typeof count>[0]) =>
    until(async () => (await count(page, within('hf-answer', 'li button'))) === 10);

  inEachBrowser(({ visitor }) => {
    test('opens, follows typing, and its numbers are the command’s', async () => {
      const { page, complaints } = await (await visitor()).open(server.url);
      expect(await page.evaluate(() => isSecureContext)).toBe(false);
      expectSameNumbers(await figure(page, OPENING), embedded, OPENING_PROMPT);
      await isAnswered(page);
      await type(page, 'How are');
      await figure(page, { ...OPENING, tokens: 2 });
      await isAnswered(page);
      expect(complaints).toEqual([]);
    });

    test('opens a model by ranges, and says why it is not kept', async () => {
      const model = server.route('m.gguf', { file: mini });
      const { page, complaints } = await (await visitor()).open(address(server.url, { model, inside: 'model' }));
      await until(async () => (await blockCount(page)) === 2);
      await isAnswered(page);
      expect(await text(page, within('hf-inside', 'hf-loading', 'p'), /plain http/)).toContain('not kept');
      expect(new Set(server.requests('m.gguf').map(({ status }) => status))).toEqual(new Set([206]));
      expect(complaints).toEqual([]);
    });
  });
});
