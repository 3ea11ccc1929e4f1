// The page in a real browser, as a reader uses it, and every number of its figure against the command.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { root } from '../../../scripts/setup/paths.mjs';
import { openSite, type Site } from './chromium';
import { drawn, expectSameNumbers, figure, type OpenPage, openPage, trace } from './page';

const embedded = join(root, 'models', 'headflow-small.Q8_0.gguf');
const shaped = join(root, 'build', 'testdata', 'gpt2-small-shaped.Q8_0.gguf');
const prompt = 'The cat sat on the mat because it was';
const STAGES = 16;

let site: Site;
let open: OpenPage;
const scratch = mkdtempSync(join(tmpdir(), 'headflow-'));

beforeAll(async () => {
  site = await openSite();
});
afterAll(async () => {
  await site.close();
  rmSync(scratch, { recursive: true });
});
afterEach(async () => {
  await open.page.close();
});

async function start(fragment = '', width?: number, height?: number): Promise<Page> {
  open = await openPage(site.browser, `${site.url}${fragment}`, width, height);
  return open.page;
}

const type = (page: Page, text: string) => page.locator('#prompt').fill(text);
const tokenCount = (page: Page) => page.locator('hf-prompt .tokens button').count();
const openFile = (page: Page, path: string) => page.locator('hf-options input[type=file]').setInputFiles(path);

test('opens with the embedded model, asks no other host, and says nothing wrong', async () => {
  const page = await start();
  const parts = await figure(page, { block: 0, head: 0, tokens: await tokenCount(page).then(() => 9) });
  expect(new Set(parts.map(({ stage }) => stage)).size).toBe(STAGES);
  await page.locator('hf-answer li').nth(9).waitFor();
  expect(open.complaints).toEqual([]);
  expect(open.requests.filter((url) => new URL(url).origin !== new URL(site.url).origin)).toEqual([]);
});

test.each([
  { block: 0, head: 0 },
  { block: 2, head: 3 },
])('embedded model: every drawn tensor of block $block, head $head is the command’s', async ({ block, head }) => {
  const page = await start(`#block=${block}&head=${head}`);
  const parts = await figure(page, { block, head, tokens: 9 });
  expect(parts.length).toBe(STAGES);
  expectSameNumbers(parts, embedded, prompt);
});

test.each([
  { block: 0, head: 0 },
  { block: 5, head: 7 },
])('GPT-2 small’s shape: every drawn tensor of block $block, head $head is the command’s', async ({ block, head }) => {
  const page = await start();
  await openFile(page, shaped);
  await page.locator('hf-pickers .blocks button').nth(11).waitFor();
  await page.locator('hf-pickers .blocks button').nth(block).click();
  await page.locator('hf-pickers .heads button').nth(head).click();
  const parts = await figure(page, { block, head, tokens: 9 });
  expect(parts.find(({ stage }) => stage === 'z')?.columns).toEqual([0, 768]);
  expectSameNumbers(parts, shaped, prompt);
});

test('a new prompt, a chosen token, a block, a head: the figure and the address follow; back returns', async () => {
  const page = await start();
  await type(page, 'Once upon a time');
  await page.locator('hf-answer li').first().waitFor();
  const before = await tokenCount(page);
  await figure(page, { block: 0, head: 0, tokens: before });

  await page.locator('hf-answer li button').first().click();
  await figure(page, { block: 0, head: 0, tokens: before + 1 });
  expect(await page.locator('#prompt').inputValue()).toMatch(/^Once upon a time.+/);

  await page.locator('hf-pickers .blocks button').nth(1).click();
  await figure(page, { block: 1, head: 0, tokens: before + 1 });
  await page.locator('hf-pickers .heads button').nth(2).click();
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
  await page.locator('hf-answer li').nth(9).waitFor();
  const logits = trace(embedded, prompt, ['result_output']).get('result_output');
  const last = Array.from(logits?.values.subarray(-(logits.shape[1] ?? 0)) ?? []);
  const most = Math.max(...last);
  const sum = last.reduce((total, logit) => total + Math.exp(logit - most), 0);
  const shares = last.map((logit) => Math.exp(logit - most) / sum).sort((a, b) => b - a);
  const shown = await page.locator('hf-answer li .share').allTextContents();
  expect(shown.length).toBe(10);
  shown.forEach((text, index) => {
    const value = Number(text.replace(/[^\d.]/g, '')) / 100;
    expect(Math.abs(value - (shares[index] ?? 0))).toBeLessThan(0.006);
  });
});

test('a new prompt or model clears the answer until its own is there', async () => {
  const page = await start();
  const buttons = page.locator('hf-answer li button');
  await buttons.nth(9).waitFor();
  const height = () => page.locator('hf-answer').evaluate((answer) => answer.getBoundingClientRect().height);
  const before = await height();
  const cleared = await page.evaluate(() => {
    const root = (name: string, from: ParentNode = document) => from.querySelector(name)?.shadowRoot as ShadowRoot;
    const field = root('hf-prompt', root('hf-page')).querySelector('textarea') as HTMLTextAreaElement;
    field.value = 'Once upon';
    field.dispatchEvent(new Event('input'));
    const answer = root('hf-answer', root('hf-figure', root('hf-page')));
    return { buttons: answer.querySelectorAll('button').length, text: answer.textContent };
  });
  expect(cleared).toMatchObject({ buttons: 0, text: expect.stringContaining('being computed') });
  await buttons.nth(9).waitFor();
  expect(await height()).toBe(before);
  await openFile(page, shaped);
  await page.locator('hf-pickers .blocks button').nth(11).waitFor();
  await page.locator('hf-answer .note', { hasText: '50,257' }).waitFor();
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
  await figure(page, { block: 0, head: 0, tokens: 9 });
  expect(await page.locator('hf-notice .text').textContent()).toMatch(notice);
  expect(await page.locator('#model').inputValue()).toBe('embedded');
  expect(
    open.requests.filter((url) => new URL(url).origin !== new URL(site.url).origin || url.includes('gone')),
  ).toEqual([]);
  expect(await page.locator('hf-notice .allow').allTextContents()).toEqual(choices);
});

test('pointing and the keyboard read exact values', async () => {
  const page = await start('#block=1&head=2');
  const parts = await figure(page, { block: 1, head: 2, tokens: 9 });
  const p = parts.find(({ stage }) => stage === 'p');
  const tensor = page.locator('hf-flow [data-stage="p"]').first();
  const box = await tensor.boundingBox();
  if (!p || !box) throw new Error('no softmax in the figure');
  const value = (row: number, column: number) => (p.values[row * p.shape[1] + column] ?? 0).toFixed(4);
  const readout = page.locator('hf-readout .value');

  await page.mouse.move(box.x + (box.width * 3.5) / 9, box.y + (box.height * 5.5) / 9);
  expect(await readout.textContent()).toBe(value(5, 3));
  await page.mouse.move(2, 2);

  await tensor.focus();
  for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  const where = (await page.locator('hf-readout .where').allTextContents()).join(' ');
  const [, row, column] = /token (\d+).*key (\d+)/.exec(where) ?? [];
  expect(await readout.textContent()).toBe(value(Number(row), Number(column)));
});

test('an empty prompt, one token, more tokens than the context', async () => {
  const page = await start();
  await figure(page, { block: 0, head: 0, tokens: 9 });
  await type(page, '');
  await page.locator('hf-figure .empty').waitFor();
  await type(page, 'The');
  const [one] = (await figure(page, { block: 0, head: 0, tokens: 1 })).filter(({ stage }) => stage === 'p');
  expect(one?.values).toEqual([1]);
  await type(page, 'cat '.repeat(400).trim());
  const parts = await figure(page, { block: 0, head: 0, tokens: 256 });
  expect(parts.find(({ stage }) => stage === 'p')?.binSize[0]).toBeGreaterThan(1);
  expect(await page.locator('hf-prompt .note').textContent()).toMatch(/context is 256 tokens: the last \d+ tokens/);
  await page.locator('hf-answer .after', { hasText: /^after token 256 of \d+: ./ }).waitFor();
  expect(await page.locator('hf-answer button:enabled').count()).toBe(0);
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
  const page = await start();
  await figure(page, { block: 0, head: 0, tokens: 9 });
  const path = join(scratch, `${name}.gguf`);
  writeFileSync(path, bytes);
  await openFile(page, path);
  await page.locator('hf-notice [role=alert] .text').waitFor();
  expect(await page.locator('hf-notice .text').textContent()).toMatch(/expected/);
  await type(page, 'Still here');
  const tokens = await expect
    .poll(() => tokenCount(page))
    .toBeLessThan(9)
    .then(() => tokenCount(page));
  await figure(page, { block: 0, head: 0, tokens });
});

test('1,024 tokens on GPT-2 small’s shape: shown, and the page answers meanwhile', async () => {
  const page = await start();
  await openFile(page, shaped);
  await page.locator('hf-pickers .blocks button').nth(11).waitFor();
  await page.locator('hf-pickers .blocks button').nth(3).click();
  await figure(page, { block: 3, head: 0, tokens: 9 });
  await type(page, 'cat dog '.repeat(512));
  // Before the long prompt is computed, the old figure still answers to the pointer.
  const box = await page.locator('hf-flow [data-stage="p"]').first().boundingBox();
  if (!box) throw new Error('no softmax in the figure');
  await page.mouse.move(box.x + box.width / 3, box.y + box.height - 4);
  await page.locator('hf-readout .value').waitFor();
  const early = (await drawn(page)).find(({ stage }) => stage === 'p');
  expect(early?.columns[1], 'the old figure is still there').toBe(9);
  const parts = await figure(page, { block: 3, head: 0, tokens: 1024 });
  expect(parts.length).toBe(STAGES);
  // A new prompt overtakes a long one.
  await type(page, 'bird fish '.repeat(512));
  await type(page, prompt);
  expectSameNumbers(await figure(page, { block: 3, head: 0, tokens: 9 }), shaped, prompt);
});

test('works under a strict Content-Security-Policy', async () => {
  const policy =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' https:; img-src 'self' blob:; worker-src 'self'";
  const page = await site.browser.newPage();
  open = { page, complaints: [], requests: [] };
  page.on('console', (message) => message.type() === 'error' && open.complaints.push(message.text()));
  await page.route(site.url, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': policy } });
  });
  await page.goto(site.url);
  await figure(page, { block: 0, head: 0, tokens: 9 });
  expect(open.complaints).toEqual([]);
});

test.each([
  [1440, 900, 9],
  [768, 1024, 9],
  [768, 1024, 60],
  [640, 1024, 64],
  [390, 844, 9],
])('at %i x %i with a prompt of %i words nothing reaches beyond the sides', async (width, height, count) => {
  const page = await start(`#prompt=${'cat+'.repeat(count - 1)}cat`, width, height);
  await page.locator('hf-prompt .tokens button').first().waitFor();
  const tokens = await tokenCount(page);
  await figure(page, { block: 0, head: 0, tokens });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});
