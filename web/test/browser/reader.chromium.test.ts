// What readers bring along: a size of type, a contrast theme, a keyboard, ears.
import { expect, test } from 'vitest';
import { palettes } from '../../ui/colour/palette';
import { inThisBrowser } from './browsers';
import { mini } from './models';
import { servedPage } from './site';
import { click, count, figure, pick, present, text, tokenCount, until, within } from './view';

const site = servedPage();
const { visitor } = inThisBrowser();
const answers = within('hf-answer', 'li button');

async function start() {
  const { page } = await (await visitor()).open(`${site.url}#prompt=How are`);
  await figure(page, { block: 0, head: 0, tokens: 2 });
  await until(async () => (await count(page, answers)) === 10);
  return page;
}

test('type follows the reader’s size', async () => {
  const page = await start();
  const parts = [
    within('h1'),
    within('hf-prompt', 'textarea'),
    within('hf-answer', '.share'),
    within('hf-answer', 'h2'),
  ];
  const sizes = () =>
    Promise.all(
      parts.map((part) => page.$eval(part, (element) => Number.parseFloat(getComputedStyle(element).fontSize))),
    );
  const usual = await sizes();
  await page.evaluate(() => document.documentElement.style.setProperty('font-size', '150%'));
  const large = await sizes();
  for (const [i, size] of usual.entries()) expect(large[i], parts[i]).toBeCloseTo(1.5 * size, 3);
});

test('an answer appended with Enter: the focus stays among the answers, and the new one is said', async () => {
  const page = await start();
  const said = within('hf-answer', '[role=status]');
  const before = await text(page, said, /after .*are: /);
  await (await present(page, answers)).focus();
  await page.keyboard.press('Enter');
  await until(async () => (await tokenCount(page)) === 3);
  await text(page, said, /after .*you: \S+, \d/);
  expect(await text(page, said)).not.toBe(before);
  const focused = () =>
    page.evaluate(() => {
      let active = document.activeElement;
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      return active?.closest('li')?.parentElement?.tagName;
    });
  await until(async () => (await focused()) === 'OL');
});

test.each(['light', 'dark'] as const)(
  'a contrast theme, with theme %s set: its scheme is followed, what is pressed shows',
  async (theme) => {
    const { page } = await (await visitor()).open('about:blank');
    const session = await page.createCDPSession();
    const scheme = theme === 'light' ? 'dark' : 'light'; // The reader's is the other one.
    const features = [
      { name: 'forced-colors', value: 'active' },
      { name: 'prefers-color-scheme', value: scheme },
    ];
    await session.send('Emulation.setEmulatedMedia', { features });
    await page.goto(`${site.url}#prompt=How are&theme=${theme}`);
    await figure(page, { block: 0, head: 0, tokens: 2 });
    const paper = () => getComputedStyle(document.documentElement).getPropertyValue('--paper');
    expect(await page.evaluate(paper)).toBe(palettes[scheme].paper);
    await click(page, within('hf-prompt', '.count'));
    await until(async () => (await count(page, within('hf-prompt', ".count[aria-pressed='true']"))) === 1);
    const grounds = await page.$eval(within('hf-prompt', ".count[aria-pressed='true']"), (button) => {
      const probe = document.body.appendChild(document.createElement('p'));
      probe.style.setProperty('background', 'Highlight');
      return [getComputedStyle(button).backgroundColor, getComputedStyle(probe).backgroundColor];
    });
    expect(grounds[0]).toBe(grounds[1]);
  },
);

test('part of a character: its button can be reached, and says why it appends nothing', async () => {
  const page = await start();
  await pick(page, mini);
  const partial = within('hf-answer', 'li button[aria-disabled]');
  const label = await (await present(page, partial)).evaluate((button) => button.getAttribute('aria-label'));
  expect(label).toMatch(/part of a character.* cannot be appended/i);
});
