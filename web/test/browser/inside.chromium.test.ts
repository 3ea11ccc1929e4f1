// What is behind the figure, in a real browser: shapes, runtime log and checks against the command's.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterEach, expect, test } from 'vitest';
import { root } from '../../../scripts/setup/paths.mjs';
import { inThisBrowser, type View } from './browsers';
import { embedded, shaped } from './models';
import { servedPage } from './site';
import { atLeast, click, count, pick, present, text, texts, type, until, within } from './view';

const command = join(root, 'build', 'cli', 'headflow');
const prompt = 'How are you';

const { visitor } = inThisBrowser();
const site = servedPage();
let open: View;
afterEach(() => {
  expect(open.complaints).toEqual([]);
});

async function start(fields: Record<string, string>, width = 1440): Promise<Page> {
  const fragment = new URLSearchParams({ prompt, ...fields });
  open = await (await visitor()).open(`${site.url}#${fragment}`, { width, height: 900 });
  await atLeast(open.page, 10, within('hf-answer', 'li button'));
  return open.page;
}

const panel = (...parts: readonly string[]): string => within('hf-inside', ...parts);

/** The cells of a table's rows, with plain minus signs. */
const cells = (page: Page, rows: string): Promise<string[][]> =>
  page.$$eval(rows, (found) =>
    found.map((row) =>
      [...row.querySelectorAll(':scope > td')].map((cell) => (cell.textContent ?? '').replaceAll('−', '-').trim()),
    ),
  );

const logOf = (...options: string[]): string =>
  execFileSync(command, ['log', embedded, '--prompt', prompt, ...options], { encoding: 'utf8', maxBuffer: 2 ** 26 });

/** An entry of `headflow log`. */
interface Entry {
  readonly name: string;
  readonly operation: string;
  readonly operands: string;
  readonly shape: string;
  readonly noted: boolean;
  readonly rows: readonly string[];
  readonly sum: string;
}

function entries(text: string): Entry[] {
  return text
    .split(/\n(?=\S)/)
    .filter(Boolean)
    .map((block) => {
      const [head = '', ...lines] = block.trimEnd().split('\n');
      const [, name = '', operation = '', operands = '', shape = '', note] =
        /^(\S+) = (\w+)\((.*?)\) = (\{[^}]*\})(?: {2}\((.*)\))?$/.exec(head) ?? [];
      const [sum = '', ...rows] = lines.toReversed();
      return {
        name,
        operation,
        operands,
        shape,
        noted: note !== undefined,
        rows: rows.toReversed().map((row) =>
          row
            .replace(/[[\],]/g, ' ')
            .trim()
            .replace(/\s+/g, ' '),
        ),
        sum: sum.replace(/.*= /, ''),
      };
    });
}

test('shapes are the command’s, with views, and are copied as Markdown', async () => {
  const page = await start({ inside: 'shapes', block: '1' });
  const out = mkdtempSync(join(tmpdir(), 'headflow-'));
  execFileSync(command, ['trace', embedded, '--prompt', prompt, '--node', 'kq-1', '--node', 'Kcur-1', '--out', out]);
  const { nodes } = JSON.parse(readFileSync(join(out, 'trace.json'), 'utf8'));
  rmSync(out, { recursive: true });
  await atLeast(page, 1, panel('hf-shapes', 'tbody tr'));
  const rows = await cells(page, panel('hf-shapes', 'tbody tr'));
  for (const name of ['kq-1', 'Kcur-1']) {
    const row = rows.find((one) => one[4] === name);
    expect([row?.[3], row?.[5]]).toEqual([
      `[${nodes[name].shape.join(', ')}]`,
      `{${nodes[name].ggml_shape.join(', ')}}`,
    ]);
  }
  const { base, offset_elements: elements, offset_bytes: bytes, strides_bytes: strides } = nodes['Kcur-1'].view;
  expect(rows.map((row) => row.at(-1))).toContain(
    `view of ${base} at ${elements} elements = ${bytes} bytes, strides ${strides.join(', ')} bytes`,
  );
  await page.browserContext().overridePermissions(new URL(site.url).origin, ['clipboard-read', 'clipboard-write']);
  await click(page, panel('hf-shapes', '.copy'));
  await text(page, panel('hf-shapes', '[role=status]'), /Copied/);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('| `Kcur-1` |');
});

test('without a clipboard the table is copied all the same', async () => {
  const page = await start({ inside: 'shapes' });
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.evaluate(() =>
    document.addEventListener('copy', () => {
      const field = document.activeElement?.shadowRoot ?? document;
      let inner: Element | null = field.activeElement;
      while (inner?.shadowRoot?.activeElement) inner = inner.shadowRoot.activeElement;
      document.title = inner instanceof HTMLTextAreaElement ? inner.value : '';
    }),
  );
  await click(page, panel('hf-shapes', '.copy'));
  await text(page, panel('hf-shapes', '[role=status]'), /Copied/);
  expect(await page.title()).toContain('| `wqkv-0` |');
});

test('the log is the command’s: order, operations, operands, shapes, values and sums', async () => {
  const page = await start({ inside: 'log', block: '1' });
  const expected = entries(logOf()).filter(({ name }) => !/-[023](#1)?$/.test(name));
  await click(page, panel('hf-log', '.toggle::-p-text(All values)'));
  await page.setViewport({ width: 1440, height: 12_000 });
  await until(async () => {
    const sums = await texts(page, panel('hf-log', '.entry > td:last-child'));
    return sums.length === expected.length && sums.every((sum) => /\d/.test(sum));
  });
  const shown = await cells(page, panel('hf-log', '.entry'));
  const valueRows = await page.$$eval(panel('hf-log', '.values > td'), (found) =>
    found.map((values) =>
      [...values.querySelectorAll('tr')].map((row) =>
        [...row.children].map((cell) => (cell.textContent ?? '').replaceAll('−', '-')).join(' '),
      ),
    ),
  );
  expected.forEach(({ name, operation, operands, shape, rows, sum }, index) => {
    const [gotName, gotOperation, gotOperands, gotShape, gotSum] = shown[index] ?? [];
    expect([gotName, gotOperation, gotShape, Number(gotSum)]).toEqual([name, operation, shape, Number(sum)]);
    expect(gotOperands?.replace(/\s/g, ''), name).toBe(operands.replace(/}, /g, '}').replace(/\s/g, ''));
    const got = valueRows[index]?.map((row) => row.replaceAll('…', '...').replace('⋮', '...'));
    expect(
      got?.map((row) => row.split(' ').map((text) => (text === '...' ? text : Number(text)))),
      name,
    ).toEqual(rows.map((row) => row.split(' ').map((text) => (text === '...' ? text : Number(text)))));
  });
  const noted = await page.$$eval(panel('hf-log', '.note'), (notes) =>
    notes.map((note) => note.previousElementSibling?.getAttribute('data-name')),
  );
  expect(noted).toEqual(expected.filter((entry) => entry.noted).map(({ name }) => name));
});

test('the filter finds the product and the addition that llama.cpp leaves unnamed', async () => {
  const page = await start({ inside: 'log' });
  const filter = 'blk\\.0\\.attn_output\\.(weight|bias)';
  await present(page, panel('hf-log', 'input'));
  const field = page.locator(panel('hf-log', 'input'));
  await field.fill(filter);
  const names = panel('hf-log', '.entry');
  await until(async () => (await count(page, names)) === 2);
  const expected = entries(logOf('--filter', filter)).map(({ name }) => name);
  expect((await cells(page, names)).map(([name]) => name)).toEqual(expected);
  await field.fill('(');
  await text(page, panel('hf-log', '.said'), /no regular expression.*character 1: got a group that is not closed/);
  expect(await count(page, names)).toBe(0);
  await field.fill('(.*)*!');
  await text(page, panel('hf-log', '.said'), /^None of/);
});

test('checks of the block hold, and those of another prompt are dropped', async () => {
  const page = await start({ inside: 'checks', block: '2' });
  const rows = panel('hf-checks', 'tr[data-check]');
  const hold = () => until(async () => (await texts(page, rows)).filter((row) => row.includes('holds')).length === 8);
  await hold();
  expect(await count(page, rows)).toBe(8);
  const about = panel('hf-checks', '.about');
  expect(await text(page, about)).toMatch(/^Block 2, “How are you”, 3 tokens\./);
  await type(page, 'How are you doing');
  await text(page, about, /“How are you doing”/);
  await hold();
});

/** What, expected, got and verdict of each row of `headflow verify`'s second table; numbers as such. */
function verified(): string[][] {
  const { stdout } = spawnSync(command, ['verify', shaped], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const rows = stdout
    .slice(stdout.indexOf('| what |'))
    .split('\n')
    .filter((line) => / \| (ok|FAILED) \|$/.test(line));
  return rows.map((row) => {
    const [what = '', expected = '', got = '', , , verdict] = row.slice(2, -2).split(' | ');
    return [what, plainNumber(expected), plainNumber(got), verdict === 'ok' ? 'holds' : 'FAILS'];
  });
}

const plainNumber = (text: string): string =>
  text !== '' && !Number.isNaN(Number(text)) ? String(Number(text)) : text;

test('GPT-2 small’s shape: published values are compared on request as the command compares them, failed ones first', async () => {
  const page = await start({ inside: 'checks' });
  await pick(page, shaped);
  await text(page, panel('hf-published', 'button'), /verify against published values/i);
  await click(page, panel('hf-published', 'button'));
  const status = panel('hf-published', '[role=status]');
  await text(page, status, /failed/);
  const rows = await cells(page, panel('hf-published', 'tbody tr'));
  const shown = rows.map(([what = '', expected = '', got = '', , , verdict = '']) => [
    what,
    plainNumber(expected),
    plainNumber(got),
    verdict,
  ]);
  const failed = shown.filter((row) => row.at(-1) === 'FAILS').length;
  expect(await text(page, status)).toBe(`${shown.length} compared, ${failed} failed.`);
  const expected = verified();
  expect(failed).toBeGreaterThan(10);
  expect(shown).toEqual([
    ...expected.filter((row) => row[3] === 'FAILS'),
    ...expected.filter((row) => row[3] === 'holds'),
  ]);
});

test.each(['shapes', 'log', 'checks'])('%s at 390 px: the page does not scroll sideways', async (inside) => {
  const page = await start({ inside }, 390);
  await atLeast(page, 1, panel(`hf-${inside}`, 'tbody tr'));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await click(page, panel('button[aria-expanded=true]'));
  await until(async () => (await count(page, panel(`hf-${inside}`))) === 0);
  expect(page.url()).not.toContain('inside');
});
