// Measures how long the built page takes from navigation to the first figure and to the first answer, in Chromium:
//
//   node scripts/bench-page.mjs [--runs 9]      (after npm run build)
//
// Each run has a browser profile of its own, so nothing comes from a cache.
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { serve } from './serve.mjs';
import { isRoot } from './setup/run.mjs';
import { findChromium } from './setup/system-packages.mjs';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '9' } } });
const executablePath = findChromium();
if (!executablePath) throw new Error('no Chromium on PATH or in $CHROMIUM');
const args = ['--disable-gpu', '--disable-background-networking', ...(isRoot() ? ['--no-sandbox'] : [])];

/** Milliseconds since navigation began at which a condition in the page first holds. */
const since = (page, condition) =>
  page.waitForFunction(condition, null, { polling: 5 }).then(() => page.evaluate(() => performance.now()));

async function run(url) {
  const browser = await chromium.launch({ executablePath, headless: true, args });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(url, { waitUntil: 'commit' });
    const figure = await since(page, () => {
      const flow = document.querySelector('hf-page')?.shadowRoot?.querySelector('hf-flow');
      return (flow?.drawingData?.().length ?? 0) > 0;
    });
    const answer = await since(page, () => {
      const panel = document.querySelector('hf-page')?.shadowRoot?.querySelector('hf-answer');
      return (panel?.shadowRoot?.querySelectorAll('li').length ?? 0) > 0;
    });
    return { figure, answer };
  } finally {
    await browser.close();
  }
}

const { server, url } = await serve({ port: 0 });
const runs = [];
for (let i = 0; i < Number(values.runs); i++) runs.push(await run(url));
server.close();
for (const what of ['figure', 'answer']) {
  const times = runs.map((each) => each[what]).sort((a, b) => a - b);
  const [least, median, most] = [times[0], times[Math.floor(times.length / 2)], times.at(-1)].map(Math.round);
  console.log(`first ${what}: median ${median} ms (${least} to ${most}, ${times.length} runs)`);
}
