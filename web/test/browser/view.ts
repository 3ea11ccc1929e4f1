// For tests in either browser: what a reader sees of the page, and does to it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BoundingBox, ElementHandle, Page } from 'puppeteer-core';
import type { Drawn } from './numbers';

/** A selector for the page's parts, through shadow roots: within('hf-answer', 'li'). */
export const within = (...parts: readonly string[]): string => ['hf-page', ...parts].join(' >>> ');

/** Looks again and again until there is something to return; the test's own time limit ends it. */
export async function until<T>(look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await sleep(30);
  }
}

/** The text of the first element that matches, once it matches `pattern`. */
export function text(page: Page, selector: string, pattern = /./): Promise<string> {
  return until(async () => {
    const [found] = await page.$$eval(selector, (elements) => elements.map((element) => element.textContent ?? ''));
    return found !== undefined && pattern.test(found) ? found : null;
  });
}

/** How many elements match now. */
export const count = (page: Page, selector: string): Promise<number> => page.$$eval(selector, ({ length }) => length);

/** The texts of all elements that match now. */
export const texts = (page: Page, selector: string): Promise<string[]> =>
  page.$$eval(selector, (elements) => elements.map((element) => element.textContent ?? ''));

/** Waits until so many elements match, or more; their texts. */
export const atLeast = (page: Page, least: number, selector: string): Promise<string[]> =>
  until(async () => {
    const found = await texts(page, selector);
    return found.length >= least ? found : null;
  });

/** Waits for the first element that matches. The driver's own waiting would miss what appears within a shadow root. */
export const present = (page: Page, selector: string): Promise<ElementHandle> => until(() => page.$(selector));

/** Waits for an element and clicks it. */
export async function click(page: Page, selector: string): Promise<void> {
  await present(page, selector);
  await page.locator(selector).click();
}

/** Waits until the first element that matches is shown, or is not. */
export async function waitForVisible(page: Page, selector: string, visible = true): Promise<void> {
  await page.waitForSelector(selector, visible ? { visible } : { hidden: true });
}

/** Where the first element that matches lies in the window. */
export async function box(page: Page, selector: string): Promise<BoundingBox> {
  const found = await (await present(page, selector)).boundingBox();
  if (!found) throw new Error(`${selector} is not shown`);
  return found;
}

/** The whole prompt at once, as when it is pasted. */
export async function type(page: Page, prompt: string): Promise<void> {
  const field = await present(page, within('hf-prompt', '#prompt'));
  await field.evaluate((element, value) => {
    (element as HTMLTextAreaElement).value = value;
    element.dispatchEvent(new Event('input'));
  }, prompt);
}

/** Gives the page a file of the reader's disk. */
export async function pick(page: Page, path: string): Promise<void> {
  const input = await present(page, within('hf-options', 'input[type=file]'));
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
}

/** The page without an address that says otherwise: the embedded model's first story. */
export const OPENING = { block: 3, head: 2, tokens: 13 };
export const OPENING_PROMPT = 'A dog named Captain Moon met a fox. The fox asked Captain';

/** A head's cell in the map of all heads. */
export const mapCell = (block: number, head: number): string => within('hf-figure', 'hf-map', `#head-${block}-${head}`);

/** How many blocks the map has; where it shows one, the others have a button. */
export async function blockCount(page: Page): Promise<number> {
  const ids = await page.$$eval(within('hf-figure', 'hf-map', '.cell'), (cells) => cells.map(({ id }) => id));
  const shown = new Set(ids.map((id) => id.split('-')[1])).size;
  return Math.max(shown, await count(page, within('hf-figure', 'hf-map', '.blocks button')));
}

/** How many tokens the words hold; those that are parts of one character share a word, whose label has all their ids. */
export async function tokenCount(page: Page): Promise<number> {
  const labels = await page.$$eval(within('hf-figure', 'hf-words', '.word'), (words) =>
    words.map((word) => word.getAttribute('aria-label') ?? ''),
  );
  const ids = labels.map((label) => /, id ([\d ]+)(?:, |$)/.exec(label)?.[1]?.split(' ').length ?? 0);
  return ids.reduce((sum, each) => sum + each, 0);
}

/** Scrolls the first element that matches to the middle of the window, unless all of it is in sight; where it lies then. */
export async function inSight(page: Page, selector: string): Promise<BoundingBox> {
  await (await present(page, selector)).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) element.scrollIntoView({ block: 'center', behavior: 'instant' });
  });
  return box(page, selector);
}

/**
 * What the figure shows now. As text on its way here: JSON has no infinities, and Firefox's protocol drops an array
 * that another part holds too.
 */
export async function drawn(page: Page): Promise<Drawn[]> {
  const json = await page.evaluate(() => {
    const flow = document
      .querySelector('hf-page')
      ?.shadowRoot?.querySelector('hf-figure')
      ?.shadowRoot?.querySelector('hf-flow');
    type Drawing = { drawingData(): { values: Float32Array }[] };
    const data = (flow as unknown as Partial<Drawing> | null)?.drawingData?.() ?? [];
    return JSON.stringify(data.map((part) => ({ ...part, values: Array.from(part.values, String) })));
  });
  const parts: (Omit<Drawn, 'values'> & { values: string[] })[] = JSON.parse(json);
  return parts.map((part) => ({ ...part, values: part.values.map(Number) }));
}

/** Waits until the figure shows this block and head of a prompt with this many tokens. */
export async function figure(page: Page, wanted: { block: number; head: number; tokens: number }): Promise<Drawn[]> {
  await until(() =>
    page.evaluate(({ block, head, tokens }) => {
      const flow = document
        .querySelector('hf-page')
        ?.shadowRoot?.querySelector('hf-figure')
        ?.shadowRoot?.querySelector('hf-flow');
      type Part = { stage: string; node: string; head: number; columns: readonly number[] };
      type Drawing = { drawingData(): Part[] };
      const parts = (flow as unknown as Partial<Drawing> | null)?.drawingData?.() ?? [];
      const p = parts.find(({ stage }) => stage === 'p');
      return p?.node === `kq_soft_max-${block}` && p.head === head && p.columns[1] === tokens;
    }, wanted),
  );
  return drawn(page);
}
