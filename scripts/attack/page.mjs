// Faults of servers and of the browser's storage, through the built page in Chromium. Within 10 seconds the page says what
// is wrong, or shows the numbers that the command gives; it raises no error, and never says that it keeps what it cannot.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../../web/test/server/server.mjs';
import { launchChromium } from '../lib/browser.mjs';
import { root } from '../setup/paths.mjs';
import { attack, LIMIT, mini, problems } from './command.mjs';
import { SERVER_FAULTS, STORAGE_FAULTS } from './faults.mjs';

const PROMPT = 'How are';
const dist = join(root, 'dist');

/** What a reader sees, in one answer: texts of notices, shares of the next tokens, whether keeping is claimed. */
function seen(page) {
  return page.evaluate(() => {
    const inside = (element, ...path) =>
      path.reduce((found, name) => found?.shadowRoot?.querySelector(name), element ?? undefined);
    const host = document.querySelector('hf-page');
    const texts = (element, selector) =>
      [...(element?.shadowRoot?.querySelectorAll(selector) ?? [])].map(({ textContent }) => textContent ?? '');
    const loading = inside(host, 'hf-inside', 'hf-loading');
    return {
      notices: texts(inside(host, 'hf-notice'), '.text').join(' '),
      shares: texts(inside(host, 'hf-figure', 'hf-answer'), 'li .share'),
      kept: texts(loading, 'p').some((sentence) => /is kept on this device/.test(sentence)),
    };
  });
}

/** Whether "60 %" or "5.2 %" is this probability, rounded as it is written. */
function says(share, probability) {
  const number = /^[\d.]+/.exec(share)?.[0] ?? '';
  const unit = 10 ** -(number.split('.')[1]?.length ?? 0);
  return number !== '' && Math.abs(Number(number) - 100 * probability) <= unit / 2 + 1e-4;
}

const isRight = (shares, expected) =>
  shares.length > 0 && shares.every((share, i) => share.startsWith('<') || says(share, expected[i].probability));

async function until(look) {
  for (const end = Date.now() + LIMIT; Date.now() < end; await sleep(50)) if (await look()) return true;
  return false;
}

/** What the page makes of one fault; `fail` takes what should not be. */
async function visit(context, url, { said, mayKeep, expected, fail }) {
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  let now;
  const ended = await until(async () => {
    now = await seen(page);
    return said ? said.test(now.notices) : isRight(now.shares, expected);
  });
  if (!ended) fail(`after ${LIMIT / 1000} s it shows ${JSON.stringify(now)}`);
  if (said && now.shares.length > 0 && !isRight(now.shares, expected)) fail('wrong numbers stand beside what is said');
  await sleep(500);
  if (!mayKeep && (await seen(page)).kept) fail('says that the model is kept');
  if (complaints.length > 0) fail(complaints.join('; '));
  await page.close();
}

/** Every fault, each for a visitor of its own; how many. */
export async function attackPage() {
  const next = (file) => JSON.parse(attack('the right numbers', ['next', file, '--prompt', PROMPT, '--json']).stdout);
  const embedded = next(join(root, 'models', 'headflow-small.Q8_0.gguf'));
  const small = next(mini);
  const assets = join(dist, 'assets');
  const worker = readdirSync(assets).find((file) => /^worker-.*\.js$/.test(file));
  const script = readFileSync(join(assets, worker));
  const browser = await launchChromium();
  const server = await startServer({ defaults: { headers: { 'cache-control': 'no-store' } } });
  const address = (fields) => `${server.url}#${new URLSearchParams({ prompt: PROMPT, inside: 'model', ...fields })}`;
  const one = async (what, url, options) => {
    const context = await browser.createBrowserContext();
    try {
      await visit(context, url, { ...options, fail: (text) => problems.push(`the page, ${what}: ${text}`) });
    } finally {
      server.breakAll();
      await context.close();
    }
  };
  for (const { what, path, route, said } of SERVER_FAULTS) {
    const model = server.route(path ?? 'm.gguf', route);
    // With a list that cannot be had, a model by its address opens.
    const own = path ? server.route('own.gguf', { file: mini }) : model;
    // Where a model cannot be opened, the embedded one is shown.
    await one(what, address({ model: own }), { said, mayKeep: true, expected: said ? embedded : small });
    server.route(path ?? 'm.gguf');
  }
  for (const [what, code] of STORAGE_FAULTS) {
    server.route(`assets/${worker}`, {
      bytes: Buffer.concat([Buffer.from(`${code}\n`), script]),
      type: 'text/javascript',
    });
    await one(what, address({}), { mayKeep: false, expected: embedded });
  }
  await server.close();
  await browser.close();
  return SERVER_FAULTS.length + STORAGE_FAULTS.length;
}
