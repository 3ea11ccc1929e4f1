// The opening screen in Chromium and in Firefox: the first story's words, map, prediction and sentence, and another
// story in their place.
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import stories from '../../../models/headflow-small.stories.json';
import { startServer, type TestServer } from '../server/server.mjs';
import { inEachBrowser } from './browsers';
import { embedded } from './models';
import { trace } from './numbers';
import { atLeast, click, figure, OPENING, text, texts, until, within } from './view';

const BLOCKS = 4;
const HEADS = 8;
/** The height in pixels of the bar of a weight of 1. */
const WHOLE = 26;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const links = within('hf-stories', 'a.story');
const current = within('hf-stories', 'a[aria-current]');
const sentence = within('hf-figure', '.sentence');
const word = (key: number): string => within('hf-figure', 'hf-words', `.word:nth-of-type(${key + 1})`);
const label = (page: Page, selector: string): Promise<string> =>
  page.$$eval(selector, ([found]) => found?.getAttribute('aria-label') ?? '');

/** The heights of the bars under the words, in order; 0 where there is none. */
const bars = (page: Page): Promise<number[]> =>
  page.evaluate(() => {
    const figure = document.querySelector('hf-page')?.shadowRoot?.querySelector('hf-figure')?.shadowRoot;
    const words = figure?.querySelector('hf-words')?.shadowRoot;
    const paths = [...(words?.querySelectorAll('path') ?? [])].map((path) => path.getAttribute('d') ?? '');
    const drawn = paths.flatMap((d) => [...d.matchAll(/M([\d.e-]+) [\d.e-]+h[\d.e-]+v([\d.e-]+)h/g)]);
    return [...(words?.querySelectorAll<HTMLElement>('.word') ?? [])].map((word) => {
      const left = Number.parseFloat(word.style.left);
      const own = drawn.find(([, x]) => Math.abs(Number(x) - 1 - left) < 0.01);
      return Number(own?.[2] ?? 0);
    });
  });

/** Waits until the bars are those of a row of the command's weights: all words stand on one line. */
async function expectBars(
  page: Page,
  prompt: string,
  { block, head, row }: { block: number; head: number; row: number },
) {
  const node = `kq_soft_max-${block}`;
  const { shape = [], values = [] } = trace(embedded, prompt, [node]).get(node) ?? {};
  const [, tokens = 0, keys = 0] = shape;
  const weights = Array.from(values.slice((head * tokens + row) * keys, (head * tokens + row + 1) * keys));
  await until(async () => {
    const heights = await bars(page);
    return (
      heights.length === keys && heights.every((height, key) => Math.abs(height / WHOLE - (weights[key] ?? 2)) < 1e-3)
    );
  });
}

/** Waits until every head has its picture. */
async function wholeMap(page: Page): Promise<void> {
  await until(async () => {
    const cells = await page.$$eval(within('hf-figure', 'hf-map', '.cell'), (found) =>
      found.map((cell) => cell.getAttribute('aria-label') ?? ''),
    );
    return cells.length === BLOCKS * HEADS && cells.every((said) => !/not (computed|loaded)/.test(said));
  });
  const pictures = within('hf-figure', 'hf-map', 'canvas');
  expect((await texts(page, pictures)).length).toBe(BLOCKS * HEADS);
}

/** The pictures of the map, as one text. */
const pictures = (page: Page): Promise<string> =>
  page.$$eval(within('hf-figure', 'hf-map', 'canvas'), (found) =>
    found.map((canvas) => (canvas as HTMLCanvasElement).toDataURL()).join(),
  );

inEachBrowser(({ visitor }) => {
  test('five stories, the words with their weights, the prediction, the map, the sentence; another story changes all, Back returns', async () => {
    const { page, complaints } = await (await visitor()).open(server.url);
    const [first, , list] = stories;
    if (!first || list?.title !== 'a list it never learnt') throw new Error('other stories than this test is about');

    const opening = async (): Promise<void> => {
      await figure(page, OPENING);
      expect(await text(page, current)).toBe('the name comes back');
      await expectBars(page, first.prompt, { ...OPENING, row: OPENING.tokens - 1 });
      const heights = await bars(page);
      expect(heights[4]).toBeCloseTo(0.98 * WHOLE, 0);
      expect(await label(page, word(4))).toMatch(/^·Moon, token 4, .*0?\.98/);
      expect(await texts(page, within('hf-figure', 'hf-words', 'text'))).toContain('.98');
      expect(await text(page, within('hf-answer', 'li .share'))).toBe('97 %');
      expect(await text(page, within('hf-answer', 'li .token'))).toBe('·Moon');
      expect(await label(page, within('hf-figure', 'hf-words', '.accept'))).toMatch(/·Moon.* 97 %$/);
      expect(await text(page, sentence)).toMatch(/Captain.*Moon/);
      await wholeMap(page);
    };
    expect((await atLeast(page, 5, links)).length).toBe(5);
    await atLeast(page, 10, within('hf-answer', 'li button'));
    await opening();
    const [said, map] = [await text(page, sentence), await pictures(page)];
    await wholeMap(page);

    await click(page, `${links}::-p-text(a list it never learnt)`);
    await figure(page, { block: 3, head: 7, tokens: 12 });
    await expectBars(page, list.prompt, list);
    await text(page, within('hf-answer', 'li .token'), /^·cake$/);
    expect(await text(page, within('hf-answer', 'li .share'))).toBe('99 %');
    expect(await text(page, current)).toBe(list.title);
    expect(await text(page, sentence)).not.toBe(said);
    expect(await text(page, sentence)).toMatch(/garden.*cake/);
    await wholeMap(page);
    expect(await pictures(page)).not.toBe(map);

    await page.evaluate(() => history.back()); // Firefox's driver waits for ever after goBack within a document.
    await text(page, within('hf-answer', 'li .token'), /^·Moon$/);
    await opening();
    expect(await text(page, sentence)).toBe(said);
    expect(await pictures(page)).toBe(map);
    expect(complaints).toEqual([]);
  });
});
