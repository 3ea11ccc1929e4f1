// What servers do wrong: the page says what it is, what was loaded stays of use, and one click tries again, going on
// where the transfer had stopped.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { READ_THROUGH } from '../../engine/source/range';
import type { Route } from '../server/options';
import { startServer, type TestServer } from '../server/server.mjs';
import { EMPTY, lfsPointer, WEB_PAGE } from '../server/stand-ins.mjs';
import { inEachBrowser, Visitor } from './browsers';
import { address, embedded, mini } from './models';
import { blockCount, click, count, figure, OPENING, text, type, until, within } from './view';

const small = readFileSync(mini);
const BLOCKS = 4; // of the embedded model
const MINI_BLOCKS = 2;
const notice = within('hf-notice', '.text');
const again = within('hf-notice', '.allow');

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => server.forget());

const json = new TextEncoder().encode('{"error": "no such model"}');

/** What a server sends instead of the model, and what the page must say of it. */
const LASTING: readonly [string, Route, RegExp][] = [
  ['a missing file', { status: 404 }, /answered 404/],
  ['a web page with status 200', { bytes: WEB_PAGE, type: 'text/html', ranges: 'none' }, /web page/],
  ['a web page that passes for data', { bytes: WEB_PAGE, ranges: 'none' }, /web page/],
  ['a Git LFS pointer', { bytes: lfsPointer(small.length) }, /Git LFS/],
  ['a gzip file', { bytes: gzipSync(small) }, /gzip/],
  ['JSON', { bytes: json, ranges: 'none' }, /JSON/],
  ['nothing', { bytes: EMPTY, ranges: 'none' }, /ends|empty/],
  ['another range', { file: mini, ranges: 'other' }, /byte ranges are wrong/],
  ['a range with the label of another', { file: mini, ranges: 'mislabelled' }, /byte ranges are wrong/],
  ['a file that ends within its header', { file: mini, size: 2000 }, /cut short/],
  ['a file that ends within its weights', { file: mini, size: small.length - 5000 }, /ends|size|complete|cut short/],
];

/** What the page copes with, saying nothing. */
const PASSING: readonly [string, Route][] = [
  ['no ranges', { file: mini, ranges: 'none' }],
  ['compression of the whole on the fly', { file: mini, gzip: 'whole' }],
  ['no Content-Range', { file: mini, ranges: 'unlabelled' }],
  ['more than was asked for', { file: mini, ranges: 'longer' }],
  ['no ETag, no date', { file: mini, etag: null, lastModified: null }],
  ['a redirect', { redirect: '/there.gguf' }],
  ['a slow drip', { file: mini, bytesPerSecond: 120_000 }],
  ['503 twice, then the file', { file: mini, exceptions: [{ to: 2, status: 503 }] }],
  ['a connection that is reset once', { file: mini, exceptions: [{ to: 1, cut: { at: 50_001, how: 'reset' } }] }],
  ['a body that ends early once', { file: mini, exceptions: [{ to: 1, cut: { at: 50_001, how: 'end' } }] }],
];

const choose = (page: Page, model: string) =>
  page.evaluate((fragment) => {
    location.hash = fragment;
  }, new URLSearchParams({ model }).toString());

const isOpen = (page: Page, blocks: number) => until(async () => (await blockCount(page)) === blocks);

const isAnswered = (page: Page) => until(async () => (await count(page, within('hf-answer', 'li button'))) === 10);

/** Bytes of the file that were sent more than once. */
function sentTwice(path: string): number {
  const parts = server.requests(path).map(({ range, sent }) => ({ begin: range?.begin ?? 0, sent }));
  let twice = 0;
  let covered = 0;
  for (const { begin, sent } of parts.sort((a, b) => a.begin - b.begin)) {
    twice += Math.max(0, Math.min(covered, begin + sent) - begin);
    covered = Math.max(covered, begin + sent);
  }
  return twice;
}

/** A browser may drop what it has not yet handed over when a connection breaks: so much at most. */
const DROPPED = 600_000;

inEachBrowser(({ browser, visitor }) => {
  describe('a model that cannot be opened', () => {
    let someone: Visitor;
    let page: Page;
    beforeAll(async () => {
      someone = new Visitor(await browser().createBrowserContext());
      ({ page } = await someone.open(server.url));
    });
    beforeEach(async () => {
      await choose(page, 'embedded');
      await isOpen(page, BLOCKS);
      await type(page, 'The cat sat on the mat because it was');
      await figure(page, { block: 0, head: 0, tokens: 9 });
      await isAnswered(page);
    });
    afterAll(() => someone?.close());

    test.each(LASTING)('%s', async (what, route, said) => {
      const path = `${LASTING.findIndex(([name]) => name === what)}.gguf`;
      const model = server.route(path, route);
      await choose(page, model);
      const sentence = await text(page, notice, new RegExp(`^${path} could`));
      expect(sentence).toMatch(said);
      expect(sentence).toContain('stays in use');
      await isOpen(page, BLOCKS);
      await type(page, 'How are');
      await figure(page, { block: 0, head: 0, tokens: 2 });
      server.route(path, { file: mini });
      await click(page, again);
      await isOpen(page, MINI_BLOCKS);
      await isAnswered(page);
      expect(await count(page, notice)).toBe(0);
    });

    test.each(PASSING)('opens all the same: %s', async (what, route) => {
      server.route('there.gguf', { file: mini });
      await choose(page, server.route(`p${PASSING.findIndex(([name]) => name === what)}.gguf`, route));
      await isOpen(page, MINI_BLOCKS);
      await isAnswered(page);
      expect(await count(page, notice)).toBe(0);
    });
  });

  describe('a transfer behind the first figure', () => {
    const MIDDLE = 3_000_003;
    let model: string;
    const open = async (route: Route) => {
      model = server.route('m.gguf', { file: embedded, ...route });
      const { page } = await (await visitor()).open(address(server.url, { model }));
      await figure(page, { ...OPENING, block: 0, head: 0 });
      return page;
    };
    afterEach(() => server.release());

    /** Where the request after the one that was cut began. */
    const resumed = (): number => {
      const requests = server.requests('m.gguf');
      const cut = requests.findIndex(({ outcome }) => outcome !== 'whole');
      return requests[cut + 1]?.range?.begin ?? 0;
    };

    test.each(['close', 'reset'] as const)('%s once: it goes on where it stopped', async (how) => {
      const page = await open({ exceptions: [{ holding: MIDDLE, times: 1, cut: { at: MIDDLE, how, pause: 1000 } }] });
      await isAnswered(page);
      expect(resumed()).toBeLessThanOrEqual(MIDDLE);
      expect(resumed()).toBeGreaterThan(MIDDLE - DROPPED);
      expect(sentTwice('m.gguf')).toBeLessThan(DROPPED);
    });

    test('a stall: it is given up after a while, and goes on at the very byte', async () => {
      const page = await open({ exceptions: [{ holding: MIDDLE, times: 1, cut: { at: MIDDLE, how: 'stall' } }] });
      await isAnswered(page);
      expect(resumed()).toBe(MIDDLE);
      expect(sentTwice('m.gguf')).toBeLessThan(READ_THROUGH);
    });

    test('a server that is gone: the figure stays of use, and one click goes on', async () => {
      const page = await open({ exceptions: [{ holding: MIDDLE, cut: { at: MIDDLE, how: 'reset', pause: 1000 } }] });
      expect(await text(page, notice)).toMatch(/could not be read.*try again/i);
      await type(page, 'How are');
      await figure(page, { block: 0, head: 0, tokens: 2 });
      await text(page, notice, /could not be read/); // The new prompt has tried again, too.
      server.route('m.gguf', { file: embedded });
      await click(page, again);
      await isAnswered(page);
      expect(await count(page, notice)).toBe(0);
      expect(sentTwice('m.gguf')).toBeLessThan(DROPPED);
    });

    test.each<[string, Route, RegExp]>([
      [
        'a file that has changed',
        { exceptions: [{ holding: MIDDLE, size: 4_000_000, etag: '"another"' }] },
        /has changed/,
      ],
      ['a file whose tail is zeros', { zerosFrom: MIDDLE }, /bytes of 0/],
    ])('%s: it is said, and one click reads the file anew', async (_, route, said) => {
      const page = await open(route);
      expect(await text(page, notice)).toMatch(said);
      server.route('m.gguf', { file: embedded, etag: '"another"' });
      await click(page, again);
      await isAnswered(page);
      expect(await count(page, notice)).toBe(0);
    });
  });

  test('an address of the page’s own that leads to another host: that host is asked for nothing', async () => {
    const other = await startServer();
    try {
      const model = server.route('m.gguf', { redirect: other.route('m.gguf', { file: mini, cors: 'exposed' }) });
      const { page } = await (await visitor()).open(address(server.url, { model }));
      expect(await text(page, notice, /leads to another host/)).toContain('Give the address on that host');
      expect(other.log).toEqual([]);
    } finally {
      await other.close();
    }
  });

  test('a host that does not allow other pages to read it: that is said', async () => {
    const other = await startServer();
    try {
      const model = other.route('m.gguf', { file: mini });
      const { page } = await (await visitor()).open(address(server.url, { model }));
      await click(page, again);
      expect(await text(page, notice, /CORS/)).toContain(new URL(other.url).host);
      other.route('m.gguf', { file: mini, cors: 'plain', preflight: false });
      await click(page, again);
      await isOpen(page, MINI_BLOCKS);
    } finally {
      await other.close();
    }
  });
});
