// The breakdown as a reader uses it: a weight clicked in the figure, checked by hand down to the products of its score.
import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { inThisBrowser, type Size, type View } from './browsers';
import { embedded } from './models';
import { trace } from './numbers';
import { servedPage } from './site';
import {
  atLeast,
  box,
  click,
  count,
  figure,
  inSight,
  mapCell,
  text,
  texts,
  until,
  waitForVisible,
  within,
} from './view';

const HOW = '#prompt=How+are';
const HEAD_DIM = 32;
const PANEL = within('hf-breakdown');
const TERMS = within('hf-breakdown', '.terms tbody tr');

const { visitor } = inThisBrowser();
const site = servedPage();
let open: View;

async function start(fragment: string, size?: Size): Promise<Page> {
  open = await (await visitor()).open(`${site.url}${fragment}`, size);
  return open.page;
}

const tensor = (stage: string): string => within('hf-flow', `[data-stage="${stage}"]`);
const cellButton = (cell: string): string => within('hf-breakdown', `[data-cell="${cell}"]`);

/** A number as the page writes it. */
const read = (text: string): number => Number(text.replace(/^−/, '-').replace('e−', 'e-'));

/** Presses a cell of a tensor: the middle of its part of the drawing. */
async function press(page: Page, stage: string, at: { row: number; of: number; column: number; columns: number }) {
  const { x, y, width, height } = await inSight(page, tensor(stage));
  await page.mouse.click(x + ((at.column + 0.5) * width) / at.columns, y + ((at.row + 0.5) * height) / at.of);
}

/** Waits until this cell is explained; the number shown. */
async function explained(page: Page, cell: string): Promise<number> {
  const [name = '', indices = ''] = cell.split(/[[\]]/);
  const path = `${name}.${indices.replaceAll(',', '.')}`;
  await page.waitForFunction((end) => location.hash.endsWith(end), {}, path);
  return read(await text(page, within('hf-breakdown', '.value b')));
}

/** The numbers of the table of terms, row by row. */
async function table(page: Page): Promise<number[][]> {
  const rows = await page.$eval(within('hf-breakdown', '.terms table'), (first) =>
    [...first.querySelectorAll('tbody tr')].map((row) =>
      [...row.querySelectorAll('td.n')].map((cell) => cell.textContent ?? ''),
    ),
  );
  return rows.map((row) => row.map(read));
}

test('a weight is a share of the visible keys, and its score the sum of its products', async () => {
  const page = await start(HOW);
  await figure(page, { block: 0, head: 0, tokens: 2 });
  await press(page, 'p', { row: 1, of: 2, column: 0, columns: 2 });
  const weight = await explained(page, 'kq_soft_max-0[0,1,0]');

  const nodes = trace(embedded, 'How are', ['kq_soft_max-0', 'kq-0', 'Qcur-0', 'Kcur-0']);
  const at = (node: string, index: number): number => nodes.get(node)?.values[index] ?? Number.NaN;
  expect(weight).toBeCloseTo(at('kq_soft_max-0', 2), 7);

  // Each row: score, scaled score, e to the power, share, sum so far.
  await atLeast(page, 2, TERMS);
  const keys = await table(page);
  expect(keys).toHaveLength(2);
  const scaled = [at('kq-0', 2), at('kq-0', 3)].map((score) => score / Math.sqrt(HEAD_DIM));
  const powers = scaled.map((score) => Math.exp(score - Math.max(...scaled)));
  for (const [, exponent, power, share] of keys) {
    const key = scaled.findIndex((score) => Math.abs(score - (exponent ?? 0)) < 1e-4);
    expect(power).toBeCloseTo(powers[key] ?? Number.NaN, 5);
    expect(share).toBeCloseTo((powers[key] ?? 0) / ((powers[0] ?? 0) + (powers[1] ?? 0)), 4);
  }

  await click(page, cellButton('kq-0[0,1,0]'));
  const score = await explained(page, 'kq-0[0,1,0]');
  await until(async () => (await table(page)).length === HEAD_DIM);
  expect(score).toBeCloseTo(at('kq-0', 2), 6);
  await click(page, within('hf-breakdown', '[data-order="given"]'));
  const products = await table(page);
  let sum = 0;
  products.forEach(([q, k, product, soFar], d) => {
    expect(q).toBeCloseTo(at('Qcur-0', HEAD_DIM + d), 3);
    expect(k).toBeCloseTo(at('Kcur-0', d), 3);
    expect(product).toBeCloseTo(at('Qcur-0', HEAD_DIM + d) * at('Kcur-0', d), 5);
    sum += at('Qcur-0', HEAD_DIM + d) * at('Kcur-0', d);
    expect(soFar).toBeCloseTo(sum, 5);
  });
  expect(sum).toBeCloseTo(score, 5);

  await page.reload();
  expect(await explained(page, 'kq-0[0,1,0]')).toBe(score);
  await click(page, within('hf-breakdown', '.back'));
  await until(async () => (await explained(page, 'kq_soft_max-0[0,1,0]')) === weight);
  await page.goBack();
  expect(await explained(page, 'kq-0[0,1,0]')).not.toBeNaN();
  await click(page, within('hf-breakdown', '.close'));
  await waitForVisible(page, PANEL, false);
  expect(open.complaints).toEqual([]);
});

test('from an attention output the way leads through one head to the weights in the file', async () => {
  const page = await start(`${HOW}&trail=attn_out-0.1.5`);
  await explained(page, 'attn_out-0[1,5]');
  await click(page, cellButton('attn_out_mm-0[3,1,5]'));
  await explained(page, 'attn_out_mm-0[3,1,5]');
  await click(page, cellButton('blk.0.attn_output.weight[5,96]'));
  const weight = await explained(page, 'blk.0.attn_output.weight[5,96]');
  const stored = within('hf-breakdown', 'dd');
  await until(async () => (await count(page, stored)) === 4);
  const [code = Number.NaN, scale = Number.NaN] = (await texts(page, stored)).map(read);
  expect(code * scale).toBeCloseTo(weight, 8);
  expect(await count(page, within('hf-breakdown', 'nav li'))).toBe(3);
  expect(open.complaints).toEqual([]);
});

test('Enter explains the cell under the keyboard’s cursor, Escape lets go', async () => {
  const page = await start(HOW);
  await figure(page, { block: 0, head: 0, tokens: 2 });
  await page.focus(tensor('p'));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await explained(page, 'kq_soft_max-0[0,1,1]');
  await page.keyboard.press('Escape');
  await waitForVisible(page, PANEL, false);
});

test('the panel follows the selected cell to another head and block, and on load', async () => {
  const page = await start(HOW);
  await figure(page, { block: 0, head: 0, tokens: 2 });
  await press(page, 'p', { row: 1, of: 2, column: 0, columns: 2 });
  await explained(page, 'kq_soft_max-0[0,1,0]');
  await click(page, mapCell(0, 2));
  await explained(page, 'kq_soft_max-0[2,1,0]');
  await click(page, mapCell(1, 2));
  await explained(page, 'kq_soft_max-1[2,1,0]');
  await page.close();
  const linked = await start(`${HOW}&block=1&head=2&cell=p.1.0&trail=kq_soft_max-0.0.1.1`);
  await explained(linked, 'kq_soft_max-1[2,1,0]');
});

test('a trail that names nothing is dropped', async () => {
  const page = await start(`${HOW}&trail=foo-9.1.1.1`);
  await figure(page, { block: 0, head: 0, tokens: 2 });
  await page.waitForFunction(() => !location.hash.includes('trail'));
  expect(await page.$eval(PANEL, (panel) => (panel as HTMLElement).checkVisibility())).toBe(false);
});

test('the clicked cell is read, whichever tensor had the focus', async () => {
  const page = await start(HOW);
  await figure(page, { block: 0, head: 0, tokens: 2 });
  await press(page, 'masked', { row: 1, of: 2, column: 1, columns: 2 });
  await explained(page, 'kq_masked-0[0,1,1]');
  await press(page, 'scaled', { row: 0, of: 2, column: 1, columns: 2 });
  await explained(page, 'kq_scaled-0[0,0,1]');
  const readout = await page.$eval(within('hf-readout'), ({ shadowRoot }) => shadowRoot?.textContent ?? '');
  expect(readout).toContain('token 0');
  expect(readout).toContain('key 1');
});

test('Escape closes the panel after an operand was followed by mouse', async () => {
  const page = await start(HOW);
  await figure(page, { block: 0, head: 0, tokens: 2 });
  await press(page, 'p', { row: 1, of: 2, column: 0, columns: 2 });
  await explained(page, 'kq_soft_max-0[0,1,0]');
  await click(page, cellButton('kq-0[0,1,0]'));
  await explained(page, 'kq-0[0,1,0]');
  await page.keyboard.press('Escape');
  await waitForVisible(page, PANEL, false);
  await page.waitForFunction(() => {
    const figure = document.querySelector('hf-page')?.shadowRoot?.activeElement;
    return figure?.shadowRoot?.activeElement?.tagName === 'HF-FLOW';
  });
});

test('a pooled cell explains the number that it shows', async () => {
  const page = await start(HOW);
  const parts = await figure(page, { block: 0, head: 0, tokens: 2 });
  const z = parts.find(({ stage }) => stage === 'z');
  if (!z) throw new Error('no Z');
  await press(page, 'z', { row: 1, of: 2, column: 3, columns: z.shape[1] });
  const value = await text(page, within('hf-breakdown', '.value b'));
  expect(read(value)).toBeCloseTo(z.values[z.shape[1] + 3] ?? Number.NaN, 7);
});

test('on a phone it is a sheet that leaves half of the window to the figure', async () => {
  const page = await start(`${HOW}&trail=kq_soft_max-0.0.1.0`, { width: 390, height: 844 });
  await explained(page, 'kq_soft_max-0[0,1,0]');
  expect((await box(page, PANEL)).height).toBeLessThanOrEqual(0.5 * 844 + 1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test('the panel never lies on the cell that was clicked', async () => {
  for (const [width, height] of [
    [390, 844],
    [768, 1024],
  ] as const) {
    const page = await start(HOW, { width, height });
    await figure(page, { block: 0, head: 0, tokens: 2 });
    await page.$eval(tensor('p'), (element) => element.scrollIntoView({ block: 'end' }));
    await page.evaluate(() => scrollBy(0, 90));
    await press(page, 'p', { row: 1, of: 2, column: 0, columns: 2 });
    await explained(page, 'kq_soft_max-0[0,1,0]');
    await until(async () => {
      const [cell, panel] = [await box(page, tensor('p')), await box(page, PANEL)];
      return cell.y + cell.height <= panel.y;
    });
    await page.close();
  }
});
