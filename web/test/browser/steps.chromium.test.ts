// Steps: the likeliest token is appended from the keyboard or by a button, and taken back; held against the command.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/setup/paths.mjs';
import { inThisBrowser } from './browsers';
import { embedded } from './models';
import { servedPage } from './site';
import { until, within } from './view';

const FIELD = within('hf-prompt', 'textarea');
const STEP = within('hf-prompt', '[data-step="step"]');
const UNDO = within('hf-prompt', '[data-step="undo"]');

const { visitor } = inThisBrowser();
const site = servedPage();

const value = (page: Page): Promise<string> => page.$eval(FIELD, (field) => (field as HTMLTextAreaElement).value);
const enabled = (page: Page, button: string, wanted: boolean) =>
  until(async () => (await page.$eval(button, (one) => one.getAttribute('aria-disabled'))) === String(!wanted));

/** What greedy decoding appends, token by token. */
function greedy(prompt: string, count: number): string {
  const args = ['generate', embedded, '--prompt', prompt, '-n', String(count)];
  return execFileSync(join(root, 'build', 'cli', 'headflow'), args, { encoding: 'utf8' });
}

test('presses that come faster than predictions each step', async () => {
  const prompt = 'A dog named Captain Moon met a fox. The fox asked Captain';
  const { page } = await (await visitor()).open(site.url);
  await enabled(page, STEP, true);
  await (await page.waitForSelector(FIELD))?.focus();
  await page.keyboard.press('End');
  await page.evaluate(() => {
    const field = document
      .querySelector('hf-page')
      ?.shadowRoot?.querySelector('hf-prompt')
      ?.shadowRoot?.querySelector('textarea');
    for (let press = 0; press < 4; ++press) {
      field?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', cancelable: true }));
      field?.setSelectionRange(field.value.length, field.value.length);
    }
  });
  const four = greedy(prompt, 4).trimEnd();
  await until(async () => (await value(page)) === four);
  await enabled(page, STEP, true);
  expect(await value(page)).toBe(four);
});

test('an arrow at the end of the prompt and a button step; undo takes every step back, and typing forgets them', async () => {
  const prompt = 'A dog named Captain Moon met a fox. The fox asked Captain';
  const { page } = await (await visitor()).open(site.url);
  await enabled(page, STEP, true);
  await enabled(page, UNDO, false);
  expect(await value(page)).toBe(prompt);

  const field = await page.waitForSelector(FIELD);
  await field?.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  expect(await value(page)).toBe(prompt);
  await page.keyboard.press('End');
  const seen = [prompt];
  for (let step = 0; step < 3; ++step) {
    await enabled(page, STEP, true);
    if (step < 2) await page.keyboard.press('ArrowRight');
    else await page.click(STEP);
    seen.push(await value(page));
  }
  expect(greedy(prompt, 3)).toContain(seen[3]?.slice(prompt.length));
  for (const before of seen.slice(0, 3).reverse()) {
    await page.click(UNDO);
    expect(await value(page)).toBe(before);
  }
  await enabled(page, UNDO, false);

  await enabled(page, STEP, true);
  await page.click(STEP);
  await enabled(page, UNDO, true);
  await field?.focus();
  await page.keyboard.type('x');
  await enabled(page, UNDO, false);
});
