// The page in a real browser, as a reader uses it, and every number of its figure against the command.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, expect, test } from 'vitest';
import { inThisBrowser, type Size, type View } from './browsers';
import { embedded, shaped } from './models';
import { expectSameNumbers, trace } from './numbers';
import { servedPage } from './site';
import {
  atLeast,
  blockCount,
  click,
  count,
  drawn,
  figure,
  inSight,
  mapCell,
  OPENING,
  OPENING_PROMPT,
  pick,
  text,
  texts,
  tokenCount,
  type,
  until,
  waitForVisible,
  within,
} from './view';

const prompt = OPENING_PROMPT;
const STAGES = 16;

const { visitor } = inThisBrowser();
const site = servedPage();
let open: View;
const scratch = mkdtempSync(join(tmpdir(), 'headflow-'));

afterAll(() => {
  rmSync(scratch, { recursive: true });
});

async function start(fragment = '', size?: Size): Promise<Page> {
  open = await (await visitor()).open(`${site.url}${fragment}`, size);
  return open.page;
}

const answers = within('hf-answer', 'li button');
const softmax = within('hf-flow', '[data-stage="p"]');
const foreign = (url: string): boolean => new URL(url).origin !== new URL(site.url).origin;

async function openShaped(page: Page): Promise<void> {
  await pick(page, shaped);
  await until(async () => (await blockCount(page)) === 12);
}

test('opens with the embedded model, asks no other host, and says nothing wrong', async () => {
  const page = await start();
  const parts = await figure(page, OPENING);
  expect(new Set(parts.map(({ stage }) => stage)).size).toBe(STAGES);
  await atLeast(page, 10, answers);
  expect(open.complaints).toEqual([]);
  expect(open.requests.filter(foreign)).toEqual([]);
});

test.each([
  { block: 0, head: 0 },
  { block: 2, head: 3 },
])('embedded model: every drawn tensor of block $block, head $head is the command’s', async (shown) => {
  const page = await start(`#block=${shown.block}&head=${shown.head}`);
  const parts = await figure(page, { ...OPENING, ...shown });
  expect(parts.length).toBe(STAGES);
  expectSameNumbers(parts, embedded, prompt);
});

test.each([
  { block: 0, head: 0 },
  { block: 5, head: 7 },
])('GPT-2 small’s shape: every drawn tensor of block $block, head $head is the command’s', async (shown) => {
  const page = await start();
  await openShaped(page);
  await click(page, mapCell(shown.block, shown.head));
  const parts = await figure(page, { ...OPENING, ...shown });
  expect(parts.find(({ stage }) => stage === 'z')?.columns).toEqual([0, 768]);
  expectSameNumbers(parts, shaped, prompt);
});

test('a new prompt, a chosen token, a block, a head: the figure and the address follow; back returns', async () => {
  const page = await start();
  await type(page, 'Once upon a time');
  // The answer is cleared at once, so these are of the new prompt.
  await atLeast(page, 1, answers);
  const before = await tokenCount(page);
  await figure(page, { ...OPENING, tokens: before });

  await click(page, answers);
  await figure(page, { ...OPENING, tokens: before + 1 });
  const field = within('hf-prompt', '#prompt');
  expect(await page.$eval(field, (element) => (element as HTMLTextAreaElement).value)).toMatch(/^Once upon a time.+/);

  await click(page, mapCell(1, 0));
  await figure(page, { block: 1, head: 0, tokens: before + 1 });
  await click(page, mapCell(1, 2));
  await figure(page, { block: 1, head: 2, tokens: before + 1 });
  expect(new URL(page.url()).hash).toMatch(/block=1&head=2/);
  expect(new URL(page.url()).search).toBe('');

  await page.goBack();
  await figure(page, { block: 1, head: 0, tokens: before + 1 });
  await page.reload();
  await figure(page, { block: 1, head: 0, tokens: before + 1 });
});

test('the answer’s probabilities are those of the full vocabulary', async () => {
  const page = await start();
  await atLeast(page, 10, answers);
  const logits = trace(embedded, prompt, ['result_output']).get('result_output');
  const last = Array.from(logits?.values.subarray(-(logits.shape[1] ?? 0)) ?? []);
  const most = Math.max(...last);
  const sum = last.reduce((total, logit) => total + Math.exp(logit - most), 0);
  const shares = last.map((logit) => Math.exp(logit - most) / sum).sort((a, b) => b - a);
  const shown = await texts(page, within('hf-answer', 'li .share'));
  expect(shown.length).toBe(10);
  shown.forEach((text, index) => {
    const value = Number(text.replace(/[^\d.]/g, '')) / 100;
    expect(Math.abs(value - (shares[index] ?? 0))).toBeLessThan(0.006);
  });
});

test('a new prompt or model clears the answer until its own is there', async () => {
  const page = await start();
  await atLeast(page, 10, answers);
  const height = () => page.$eval(within('hf-answer'), (answer) => answer.getBoundingClientRect().height);
  const before = await height();
  const cleared = await page.evaluate(() => {
    const root = (name: string, from: ParentNode = document) => from.querySelector(name)?.shadowRoot as ShadowRoot;
    const field = root('hf-prompt', root('hf-page')).querySelector('textarea') as HTMLTextAreaElement;
    field.value = 'Once upon';
    field.dispatchEvent(new Event('input'));
    const answer = root('hf-answer', root('hf-figure', root('hf-page')));
    return { buttons: answer.querySelectorAll('li button').length, text: answer.textContent };
  });
  expect(cleared).toMatchObject({ buttons: 0, text: expect.stringContaining('being computed') });
  await atLeast(page, 10, answers);
  expect(await height()).toBe(before);
  await openShaped(page);
  await text(page, within('hf-answer', '.note'), /50,257/);
});

test.each([
  ['nope', /nope could not be opened.*Headflow small is shown instead/, ['Try again']],
  ['file:gone.gguf', /a file on your disk \(gone\.gguf\): choose it again/, []],
  ['data:text/plain,x', /only those of web servers/, []],
  [
    'http://models.invalid/m.gguf',
    /from models\.invalid, which has been asked nothing yet/,
    ['Load from models.invalid', 'Load all embedding rows first'],
  ],
])('the address asks for the model %s: a notice, and the embedded model', async (model, notice, choices) => {
  const page = await start(`#model=${encodeURIComponent(model)}`);
  await figure(page, { ...OPENING, block: 0, head: 0 });
  expect(await text(page, within('hf-notice', '.text'))).toMatch(notice);
  const chosen = within('hf-options', '#model');
  expect(await page.$eval(chosen, (element) => (element as HTMLSelectElement).value)).toBe('embedded');
  expect(open.requests.filter((url) => foreign(url) || new URL(url).pathname.includes('gone'))).toEqual([]);
  expect(await texts(page, within('hf-notice', '.allow'))).toEqual(choices);
});

test('pointing and the keyboard read exact values', async () => {
  const page = await start('#block=1&head=2');
  const parts = await figure(page, { ...OPENING, block: 1, head: 2 });
  const p = parts.find(({ stage }) => stage === 'p');
  const { x, y, width, height } = await inSight(page, softmax);
  if (!p) throw new Error('no softmax in the figure');
  const value = (row: number, column: number) => (p.values[row * p.shape[1] + column] ?? 0).toFixed(4);
  const readout = within('hf-readout', '.value');

  await page.mouse.move(x + (width * 3.5) / 13, y + (height * 5.5) / 13);
  expect(await text(page, readout)).toBe(value(5, 3));
  await page.mouse.move(2, 2);

  await page.focus(softmax);
  for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowRight'] as const) await page.keyboard.press(key);
  const where = (await texts(page, within('hf-readout', '.where'))).join(' ');
  const [, row, column] = /token (\d+).*key (\d+)/.exec(where) ?? [];
  expect(await text(page, readout)).toBe(value(Number(row), Number(column)));
});

test('an empty prompt, one token, more tokens than the context', async () => {
  const page = await start();
  await figure(page, OPENING);
  await type(page, '');
  await waitForVisible(page, within('hf-figure', '.empty'));
  await type(page, 'The');
  const [one] = (await figure(page, { ...OPENING, tokens: 1 })).filter(({ stage }) => stage === 'p');
  expect(one?.values).toEqual([1]);
  await type(page, 'cat '.repeat(400).trim());
  const parts = await figure(page, { ...OPENING, tokens: 256 });
  expect(parts.find(({ stage }) => stage === 'p')?.binSize[0]).toBeGreaterThan(1);
  expect(await text(page, within('hf-prompt', '.note'))).toMatch(/context is 256 tokens: the last \d+ tokens/);
  await text(page, within('hf-answer', '.after'), /^after token 256 of \d+: ./);
  expect(await count(page, within('hf-answer', 'li button:enabled'))).toBe(0);
  expect(open.complaints).toEqual([]);
});

const whole = readFileSync(embedded);
const notWhole = Buffer.from(whole);
notWhole.fill(0xff, whole.length / 2, whole.length / 2 + 4096);
test.each([
  ['cut short', whole.subarray(0, 100_000)],
  ['empty', Buffer.alloc(0)],
  ['a web page', Buffer.from('<!doctype html><title>404</title>')],
  ['damaged weights', notWhole],
])('a file that is %s: a message, and the model before stays', async (name, bytes) => {
  const page = await start('#block=0&head=0');
  await figure(page, { ...OPENING, block: 0, head: 0 });
  const path = join(scratch, `${name}.gguf`);
  writeFileSync(path, bytes);
  await pick(page, path);
  expect(await text(page, within('hf-notice', '[role=alert] .text'))).toMatch(/expected/);
  await type(page, 'Still here');
  const tokens = await until(async () => {
    const found = await tokenCount(page);
    return found > 0 && found < 9 ? found : null;
  });
  await figure(page, { block: 0, head: 0, tokens });
});

test('1,024 tokens on GPT-2 small’s shape: shown, and the page answers meanwhile', async () => {
  const page = await start();
  await openShaped(page);
  await click(page, mapCell(3, 0));
  await figure(page, { ...OPENING, block: 3, head: 0 });
  await type(page, 'cat dog '.repeat(512));
  // Before the long prompt is computed, the old figure still answers to the pointer.
  const { x, y, width, height } = await inSight(page, softmax);
  await page.mouse.move(x + width / 3, y + height - 4);
  await text(page, within('hf-readout', '.value'));
  const early = (await drawn(page)).find(({ stage }) => stage === 'p');
  expect(early?.columns[1], 'the old figure is still there').toBe(13);
  const parts = await figure(page, { block: 3, head: 0, tokens: 1024 });
  expect(parts.length).toBe(STAGES);
  // A new prompt overtakes a long one.
  await type(page, 'bird fish '.repeat(512));
  await type(page, prompt);
  expectSameNumbers(await figure(page, { ...OPENING, block: 3, head: 0 }), shaped, prompt);
});

test.each([
  [1440, 900, 9],
  [768, 1024, 9],
  [768, 1024, 60],
  [640, 1024, 64],
  [390, 844, 9],
])('at %i x %i with a prompt of %i words nothing reaches beyond the sides', async (width, height, words) => {
  const page = await start(`#prompt=${'cat+'.repeat(words - 1)}cat`, { width, height });
  const tokens = await until(() => tokenCount(page));
  await figure(page, { block: 0, head: 0, tokens });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});
