// Screenshots of the built page for the documentation: node scripts/screenshots.mjs [--only TEXT] writes docs/screenshots/.
//
// Six widths, light and dark, the embedded model and a model of GPT-2 small's shape. Needs `npm run build` and, for the
// second model, the file that the tests make (build/testdata).
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { launchChromium } from './lib/browser.mjs';
import { serve } from './serve.mjs';
import { root } from './setup/paths.mjs';

const SIZES = [
  [1440, 900],
  [1920, 1080],
  [1280, 800],
  [1024, 768],
  [768, 1024],
  [390, 844],
];
/** 64 tokens or a little less. */
const LONG =
  'Once upon a time there was a little girl who lived in a small house near the forest. Every day she walked to the ' +
  'river with her dog and looked at the fish. One day the dog saw a big red bird in a tree and ran after it. The girl ' +
  'called the dog but it did';
const SHAPED = join(root, 'build', 'testdata', 'gpt2-small-shaped.Q8_0.gguf');

/** What is shown: a fragment, and a file to open instead of the embedded model. */
const VIEWS = {
  embedded: { fragment: 'block=3&head=2' },
  'embedded-off': { fragment: 'block=3&head=2&off=2.6', sizes: [SIZES[0]], themes: ['light'] },
  'embedded-long': {
    fragment: `block=3&head=7&prompt=${encodeURIComponent(LONG)}`,
    sizes: [SIZES[0], SIZES[5]],
    themes: ['dark'],
  },
  'embedded-two': { fragment: 'block=3&head=2&prompt=The%20cat', sizes: [SIZES[0]], themes: ['light'] },
  'inside-shapes': { fragment: 'block=0&head=0&prompt=How%20are&inside=shapes', sizes: [SIZES[0]], themes: ['light'] },
  'inside-log': { fragment: 'block=0&head=0&prompt=How%20are&inside=log', sizes: [SIZES[0]], themes: ['light'] },
  'inside-checks': { fragment: 'block=0&head=0&prompt=How%20are&inside=checks', sizes: [SIZES[0]], themes: ['light'] },
  'small-shaped': { fragment: 'block=3&head=4', file: SHAPED, sizes: [SIZES[0], SIZES[3], SIZES[5]] },
};

const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const folder = join(root, 'docs', 'screenshots');
mkdirSync(folder, { recursive: true });

const { server, url } = await serve({ port: 0 });
const browser = await launchChromium();

/** Waits for the figure of the wanted model, for its answer and for all heads of its map. */
async function settled(page, block) {
  await page.waitForFunction(
    (wanted) => {
      const shown = document.querySelector('hf-page')?.shadowRoot?.querySelector('hf-figure')?.shadowRoot;
      const drawn = shown?.querySelector('hf-flow')?.drawingData() ?? [];
      const answers = shown?.querySelector('hf-answer')?.shadowRoot?.querySelectorAll('li button:not(.quiet)').length;
      const cells = shown?.querySelector('hf-map')?.shadowRoot?.querySelectorAll('.cell') ?? [];
      const whole = [...cells].every((cell) => !/not (computed|loaded)/.test(cell.getAttribute('aria-label') ?? ''));
      return whole && drawn.some(({ node }) => node === `kq_soft_max-${wanted}`) && answers === 10;
    },
    { timeout: 300_000 },
    block,
  );
  await page.evaluate(() => document.fonts.ready);
  await sleep(500);
}

/** Opens a file in place of the embedded model, then goes to the wanted block and head. */
async function openModel(page, file, fragment) {
  await settled(page, 3);
  const input = await page.$('hf-page >>> hf-options >>> input[type=file]');
  await input.uploadFile(file);
  const wanted = new URLSearchParams(fragment);
  const [block, head] = [Number(wanted.get('block')), Number(wanted.get('head'))];
  const map = 'hf-page >>> hf-figure >>> hf-map >>>';
  // The driver's own waiting misses what appears within a shadow root.
  while (!(await page.$(`${map} #head-0-11`))) await sleep(100);
  const choice = await page.$(`${map} .blocks button:nth-of-type(${block + 1})`);
  await choice?.click();
  await page.locator(`${map} #head-${block}-${head}`).click();
}

/** In a window as tall as the page, so that the line at its foot stays at the foot. */
async function shootWhole(page, name, width) {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewport({ width, height });
  await sleep(300);
  await page.screenshot({ path: join(folder, `${name}-whole.png`) });
}

async function shoot(name, { fragment, file }, [width, height], colorScheme) {
  const page = await browser.newPage();
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colorScheme }]);
  await page.goto(`${url}${file ? '' : `#${fragment}`}`);
  if (file) await openModel(page, file, fragment);
  await settled(page, Number(new URLSearchParams(fragment).get('block')));
  await page.mouse.move(1, 1);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(name);
  if (width === SIZES[0][0] && colorScheme === 'light') await shootWhole(page, name, width);
  await page.close();
}

for (const [view, { sizes = SIZES, themes = ['light', 'dark'], ...shown }] of Object.entries(VIEWS)) {
  if (shown.file && !existsSync(shown.file)) {
    console.log(`${view} is left out: ${shown.file} is missing; npm test makes it`);
    continue;
  }
  for (const size of sizes) {
    for (const theme of themes) {
      const name = `${view}-${size[0]}-${theme}`;
      if (name.includes(options.only)) await shoot(name, shown, size, theme);
    }
  }
}
await browser.close();
server.close();
