// The tour as a reader takes it: each question is answered by pointing, and the numbers of its answers are the command's.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/setup/paths.mjs';
import { inThisBrowser } from './browsers';
import { embedded } from './models';
import { trace } from './numbers';
import { servedPage } from './site';
import { atLeast, box, click, inSight, mapCell, OPENING_PROMPT, text, texts, until, within } from './view';

const { visitor } = inThisBrowser();
const site = servedPage();

const PROMPT = OPENING_PROMPT;
const LAST = 12;
const HEAD_DIM = 32;

const tour = (part: string): string => within('hf-tour', part);
const said = tour('.said');
const title = tour('h2');
const button = (page: Page, name: string) =>
  page.$$eval(
    tour('button'),
    (all, wanted) => (all.find((one) => one.textContent === wanted) as HTMLElement | undefined)?.click(),
    name,
  );
const answers = within('hf-figure', 'hf-answer', 'li button');
const word = (key: number): string => within('hf-figure', 'hf-words', `.word:nth-of-type(${key + 1})`);
const tensor = (stage: string): string => within('hf-figure', 'hf-flow', `[data-stage="${stage}"]`);

interface Head {
  readonly block: number;
  readonly head: number;
  readonly direct: number;
  readonly before: number;
  readonly after: number;
}
const command = (...args: string[]): string =>
  execFileSync(join(root, 'build', 'cli', 'headflow'), args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
const heads: readonly Head[] = JSON.parse(command('heads', embedded, '--prompt', PROMPT, '--json'));
const [writer] = [...heads].sort((a, b) => b.direct - a.direct);
if (!writer) throw new Error('no head');

/** Clicks within a part: `x` and `y` from 0 to 1. */
async function point(page: Page, selector: string, x: number, y: number): Promise<void> {
  const at = await inSight(page, selector);
  await page.mouse.click(at.x + x * at.width, at.y + y * at.height);
}

/** Wrong first, then right; what is said then. */
async function answered(page: Page, wrong: (() => Promise<void>) | null, right: () => Promise<void>): Promise<string> {
  if (wrong) {
    await wrong();
    await text(page, said, /^Not that one/);
  }
  await right();
  return text(page, said, /^Yes\./);
}

async function next(page: Page, wanted: RegExp): Promise<void> {
  await button(page, 'Next');
  await text(page, title, wanted);
  await until(async () => (await texts(page, tour('p')))[0]);
}

test('ten steps from the answer backwards, each answered by pointing', async () => {
  const { page, complaints } = await (await visitor()).open(site.url);
  await atLeast(page, 10, answers);
  await click(page, within('hf-stories', 'a.tour'));
  await text(page, tour('p'), /likeliest/);
  const choose = (index: number) => async () => {
    await page.$$eval(answers, (all, at) => (all[at] as HTMLElement).click(), index);
  };
  const prompt = () => page.$eval(within('hf-prompt', 'textarea'), (field) => (field as HTMLTextAreaElement).value);
  expect(await answered(page, choose(1), choose(0))).toContain(`·Moon, with ${Math.round(100 * writer.before)} %`);
  expect(await prompt()).toBe(PROMPT);

  const { block, head } = writer;
  const nodes = [`kq_soft_max-${block}`, `kq_scaled-${block}`];
  const tensors = trace(embedded, PROMPT, nodes);
  const rowOf = (node: string): number[] => {
    const { shape = [], values = [] } = tensors.get(node) ?? {};
    const [, tokens = 0, keys = 0] = shape;
    return Array.from(values.slice((head * tokens + LAST) * keys, (head * tokens + LAST) * keys + LAST + 1));
  };
  const largest = (row: readonly number[]): [number, number] => [row.indexOf(Math.max(...row)), Math.max(...row)];
  const [read, weight] = largest(rowOf(`kq_soft_max-${block}`));
  const [scored, score] = largest(rowOf(`kq_scaled-${block}`));

  await next(page, /told/);
  const told = await answered(
    page,
    () => click(page, word(0)),
    () => click(page, word(read)),
  );
  expect(told).toContain(`(${read}) with weight ${weight.toFixed(2)}`);

  await next(page, /head read/);
  const found = await answered(
    page,
    () => click(page, mapCell(0, 0)),
    () => click(page, mapCell(block, head)),
  );
  expect(found).toContain(`Head ${block}.${head} adds +${writer.direct.toFixed(2)}`);

  await next(page, /compare/);
  const square = within('hf-figure', 'hf-weights', '.square');
  const cell = (row: number, key: number) => () =>
    point(page, square, (key + 0.5) / (LAST + 1), (row + 0.5) / (LAST + 1));
  expect(await answered(page, cell(LAST, scored === 0 ? 1 : 0), cell(LAST, scored))).toContain(score.toFixed(2));

  await next(page, /Where do Q/);
  await answered(
    page,
    () => point(page, tensor('v'), 0.5, 0.5),
    () => point(page, tensor('qh'), 0.5, 0.9),
  );
  await next(page, /carry away/);
  await answered(
    page,
    () => point(page, tensor('p'), 0.02, 0.98),
    () => point(page, tensor('o'), 0.5, 0.98),
  );
  await next(page, /joined/);
  const columns = (which: number) => () => point(page, tensor('cat'), ((which + 0.5) * HEAD_DIM) / 256, 0.9);
  await answered(page, columns((head + 3) % 8), columns(head));
  await next(page, /update do/);
  await answered(
    page,
    () => point(page, tensor('a'), 0.5, 0.5),
    () => point(page, tensor('r'), 0.5, 0.5),
  );

  await next(page, /MLPs/);
  const direct = heads.reduce((sum, one) => sum + one.direct, 0);
  await button(page, 'the heads');
  const compared = await text(page, said, /^(Yes|Not)/);
  if (compared.startsWith('Not')) await button(page, 'the MLPs');
  expect(await text(page, said, /^Yes/)).toContain(`heads ${direct < 0 ? '−' : '+'}${Math.abs(direct).toFixed(2)}`);

  await next(page, /without that head/);
  const without = await answered(page, null, () => click(page, within('hf-figure', '.hero .switch')));
  expect(without).toContain(`to ${Math.round(100 * writer.after)} %`);
  await text(page, within('hf-figure', '.edits'), new RegExp(`Off: ${block}\\.${head}`));
  expect(complaints).toEqual([]);
});

test('a step is a permalink on the reader’s own prompt, goes with Back, and can be left', async () => {
  const fragment = '#prompt=Sam+had+a+red+ball.+Mia+had+a+blue+kite.+Sam+had+a+red&tour=2';
  const { page } = await (await visitor()).open(`${site.url}${fragment}`);
  await text(page, title, /told/);
  await text(page, tour('p'), /·red reads/);
  await button(page, 'Show the answer');
  await text(page, said, /with weight 0\./);
  await next(page, /head read/);
  expect(await page.evaluate(() => location.hash)).toContain('tour=3');
  await page.evaluate(() => history.back());
  await text(page, title, /told/);
  await button(page, 'Leave the tour');
  await until(async () => !(await page.evaluate(() => location.hash)).includes('tour'));
  expect(await page.$(title)).toBeNull();
});

test('one token has nothing to tell; what is not loaded is offered with its size', async () => {
  const { page } = await (await visitor()).open(`${site.url}#prompt=A&tour=1`);
  await text(page, said, /nothing else to read/);
  const other = await (await visitor()).open(`${site.url}#prompt=How+are&tour=1&load=shown`);
  expect(await text(other.page, said, /whole model/)).toMatch(/\d MB/);
  await box(other.page, tour('.said button'));
  await click(other.page, tour('.said button'));
  await text(other.page, tour('p'), /likeliest/);
});
