// Present: what a room sees on a projector, in type that it can read, and the keys that lead through it.
import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { inThisBrowser } from './browsers';
import { servedPage } from './site';
import { text, until, waitForVisible, within } from './view';

const { visitor } = inThisBrowser();
const site = servedPage();

const LEAST = 20;
const stage = within('hf-figure', 'hf-weights', '[aria-checked="true"]');
const sentence = within('hf-figure', '.sentence');
const chosen = (page: Page): Promise<string | undefined> =>
  page.$eval(stage, (button) => (button as HTMLElement).dataset.stage);

/** Sizes of all text in sight, in pixels of the window, and what ends beyond it. */
const shown = (page: Page): Promise<{ sizes: Record<string, number>; beyond: string[] }> =>
  page.evaluate(() => {
    const sizes: Record<string, number> = {};
    const beyond: string[] = [];
    const walk = (root: Node): void => {
      for (const node of root.childNodes) {
        if (node instanceof Text) {
          const said = node.data.trim();
          const [parent, range] = [node.parentElement, document.createRange()];
          range.selectNode(node);
          const box = range.getBoundingClientRect();
          if (
            !said ||
            !parent ||
            parent.matches('style, option') ||
            box.width < 2 ||
            !parent.checkVisibility({ visibilityProperty: true })
          )
            continue;
          const scale = (parent.closest('svg') ?? parent).currentCSSZoom;
          sizes[said] = Math.min(sizes[said] ?? 1e9, Number.parseFloat(getComputedStyle(parent).fontSize) * scale);
          if (box.right > innerWidth + 1 || box.bottom > innerHeight + 1) beyond.push(said);
        } else if (node instanceof Element) walk(node.shadowRoot ?? node);
      }
    };
    walk(document.body);
    return { sizes, beyond };
  });

test.each([
  [1024, 768],
  [1280, 720],
  [1440, 900],
])(
  'at %d x %d: words, square, sentence and prediction, all in sight and none smaller than 20 pixels',
  async (width, height) => {
    const { page, complaints } = await (await visitor()).open(`${site.url}#present=1`, { width, height });
    await text(page, sentence, /Moon.*0\.98/);
    await waitForVisible(page, within('hf-figure', 'hf-words', '.accept'));
    const { sizes, beyond } = await until(async () => {
      const now = await shown(page);
      return Object.keys(now.sizes).includes('softmax') ? now : null;
    });
    expect(Object.entries(sizes).filter(([, size]) => size < LEAST)).toEqual([]);
    expect(beyond).toEqual([]);
    const all = Object.keys(sizes).join(' ');
    expect(all).toMatch(/·Moon/);
    expect(all).toMatch(/97 %/);
    expect(all).not.toMatch(/light up|What comes next|Shapes|Concat/);
    expect(complaints).toEqual([]);
  },
);

test('a key begins it, arrows lead through the stages, Escape leaves; in the prompt the key is a letter', async () => {
  const { page } = await (await visitor()).open(site.url);
  await text(page, sentence, /Moon/);
  const presents = () => page.$eval('hf-page', (element) => element.hasAttribute('present'));
  await page.keyboard.press('p');
  expect(await presents()).toBe(true);
  expect(await page.evaluate(() => location.hash)).toContain('present=1');
  expect(await chosen(page)).toBe('p');
  for (const wanted of ['lessMaximum', 'masked', 'scaled', 'raw', 'raw']) {
    await page.keyboard.press('ArrowLeft');
    expect(await chosen(page)).toBe(wanted);
  }
  await page.keyboard.press('ArrowRight');
  expect(await chosen(page)).toBe('scaled');
  await page.keyboard.press('Escape');
  expect(await presents()).toBe(false);

  const field = await page.waitForSelector(within('hf-prompt', 'textarea'));
  await field?.focus();
  await page.keyboard.type('p');
  expect(await presents()).toBe(false);
});
