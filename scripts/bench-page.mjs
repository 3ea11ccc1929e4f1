// Measures how long the built page takes from navigation to the first figure and to the first answer, in Chromium:
//
//   node scripts/bench-page.mjs [--runs 9]                                 the embedded model
//   node scripts/bench-page.mjs --throttle 10 [--latency 30] [--runs 3]    GPT-2 small's shape, at so many Mbit/s
//
// It needs npm run build, and with --throttle npm run shaped-model. Each run has a browser profile of its own, so
// nothing comes from a cache. The rate holds for the page's own files too, which are sent without compression; the
// latency, in milliseconds, goes before each answer. With --throttle the first answer is not waited for.
import { existsSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startServer } from '../web/test/server/server.mjs';
import { launchChromium } from './lib/browser.mjs';
import { serve } from './serve.mjs';
import { PATH as SHAPED } from './shaped-model/write.mjs';

const { values } = parseArgs({
  options: { runs: { type: 'string' }, throttle: { type: 'string' }, latency: { type: 'string', default: '0' } },
});

/** Milliseconds since navigation began at which a condition in the page first holds. */
const since = (page, condition) =>
  page.waitForFunction(condition, { polling: 5, timeout: 600_000 }).then(() => page.evaluate(() => performance.now()));

const hasFigure = () => {
  const flow = document
    .querySelector('hf-page')
    ?.shadowRoot?.querySelector('hf-figure')
    ?.shadowRoot?.querySelector('hf-flow');
  return (flow?.drawingData?.().length ?? 0) > 0;
};
const hasAnswer = () => {
  const panel = document
    .querySelector('hf-page')
    ?.shadowRoot?.querySelector('hf-figure')
    ?.shadowRoot?.querySelector('hf-answer');
  return (panel?.shadowRoot?.querySelectorAll('li button').length ?? 0) > 1;
};

/** @param {Record<string, () => boolean>} conditions waited for in their order */
async function run(url, conditions) {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1440, height: 900 });
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    const times = {};
    for (const [name, condition] of Object.entries(conditions)) times[name] = await since(page, condition);
    return times;
  } finally {
    await browser.close();
  }
}

function report(what, numbers, unit, digits = 0) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  const show = (value) => value.toFixed(digits);
  console.log(`${what}: median ${show(median)} ${unit} (${show(least)} to ${show(most)}, ${sorted.length} runs)`);
}

async function embeddedModel(runs) {
  const { server, url } = await serve({ port: 0 });
  const times = [];
  for (let i = 0; i < runs; i++) times.push(await run(url, { figure: hasFigure, answer: hasAnswer }));
  server.close();
  for (const what of ['figure', 'answer'])
    report(
      `first ${what}`,
      times.map((each) => each[what]),
      'ms',
    );
}

async function throttled(megabits, latency, runs) {
  if (!existsSync(SHAPED)) throw new Error('no model of GPT-2 small’s shape: npm run shaped-model');
  const rate = (megabits * 1e6) / 8;
  const results = [];
  for (let i = 0; i < runs; i++) {
    const server = await startServer({ bytesPerSecond: rate, defaults: { latency } });
    const model = server.route('m.gguf', { file: SHAPED });
    const url = `${server.url}#${new URLSearchParams({ model, prompt: 'How are' })}`;
    const { figure } = await run(url, { figure: hasFigure });
    results.push({ figure, page: server.traffic(({ path }) => path !== '/m.gguf').bytes });
    await server.close();
  }
  const inSeconds = results.map(({ figure }) => figure / 1000);
  report(`first attention at ${megabits} Mbit/s, ${latency} ms latency`, inSeconds, 's', 1);
  report(
    'the page’s own files',
    results.map(({ page }) => page / 1e6),
    'MB',
    2,
  );
  const { size } = statSync(SHAPED);
  console.log(`the whole file, ${(size / 1e6).toFixed(0)} MB, takes ${(size / rate).toFixed(0)} s at that rate`);
}

if (values.throttle === undefined) await embeddedModel(Number(values.runs ?? 9));
else await throttled(Number(values.throttle), Number(values.latency), Number(values.runs ?? 3));
