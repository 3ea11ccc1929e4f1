// What is behind the figure, in a real browser: shapes, runtime log and checks against the command's.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { root } from '../../../scripts/setup/paths.mjs';
import { openSite, type Site } from './chromium';
import { type OpenPage, openPage } from './page';

const embedded = join(root, 'models', 'headflow-small.Q8_0.gguf');
const shaped = join(root, 'build', 'testdata', 'gpt2-small-shaped.Q8_0.gguf');
const command = join(root, 'build', 'cli', 'headflow');
const prompt = 'How are you';
/** Milliseconds: a busy machine takes its time. */
const PATIENCE = 120_000;

let site: Site;
let open: OpenPage;

beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());
afterEach(async () => {
  expect(open.complaints).toEqual([]);
  await open.page.close();
});

async function start(fields: Record<string, string>, width?: number): Promise<Page> {
  const fragment = new URLSearchParams({ prompt, ...fields });
  open = await openPage(site.browser, `${site.url}#${fragment}`, width);
  open.page.setDefaultTimeout(PATIENCE);
  await open.page.locator('hf-answer li button').nth(9).waitFor();
  return open.page;
}

/** The cells of a table's rows, with plain minus signs. */
const cells = (page: Page, rows: string): Promise<string[][]> =>
  page
    .locator(rows)
    .evaluateAll((found) =>
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
  await page.locator('hf-shapes tbody tr').first().waitFor();
  const rows = await cells(page, 'hf-shapes tbody tr');
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
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('hf-shapes .copy').click();
  await page.locator('hf-shapes [role=status]', { hasText: 'Copied' }).waitFor();
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
  await page.locator('hf-shapes .copy').click();
  await page.locator('hf-shapes [role=status]', { hasText: 'Copied' }).waitFor();
  expect(await page.title()).toContain('| `wqkv-0` |');
});

test('the log is the command’s: order, operations, operands, shapes, values and sums', async () => {
  const page = await start({ inside: 'log', block: '1' });
  const expected = entries(logOf()).filter(({ name }) => !/-[023](#1)?$/.test(name));
  await page.locator('hf-log .toggle', { hasText: 'All values' }).click();
  await page.setViewportSize({ width: 1440, height: 12_000 });
  await page.waitForFunction((count) => {
    const log = document
      .querySelector('hf-page')
      ?.shadowRoot?.querySelector('hf-inside')
      ?.shadowRoot?.querySelector('hf-log');
    const sums = [...(log?.shadowRoot?.querySelectorAll('.entry > td:last-child') ?? [])];
    return sums.length === count && sums.every((sum) => /\d/.test(sum.textContent ?? ''));
  }, expected.length);
  const shown = await cells(page, 'hf-log .entry');
  const valueRows = await page
    .locator('hf-log .values > td')
    .evaluateAll((found) =>
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
  const noted = await page
    .locator('hf-log .note')
    .evaluateAll((notes) => notes.map((note) => note.previousElementSibling?.getAttribute('data-name')));
  expect(noted).toEqual(expected.filter((entry) => entry.noted).map(({ name }) => name));
});

test('the filter finds the product and the addition that llama.cpp leaves unnamed', async () => {
  const page = await start({ inside: 'log' });
  const filter = 'blk\\.0\\.attn_output\\.(weight|bias)';
  await page.locator('hf-log input').fill(filter);
  const names = page.locator('hf-log .entry');
  await expect.poll(() => names.count()).toBe(2);
  const expected = entries(logOf('--filter', filter)).map(({ name }) => name);
  expect((await cells(page, 'hf-log .entry')).map(([name]) => name)).toEqual(expected);
  await page.locator('hf-log input').fill('(');
  await page.locator('hf-log .said', { hasText: 'no regular expression' }).waitFor();
  expect(await names.count()).toBe(0);
});

test('checks of the block hold, and those of another prompt are dropped', async () => {
  const page = await start({ inside: 'checks', block: '2' });
  const holding = page.locator('hf-checks tr[data-check]', { hasText: 'holds' });
  await holding.nth(7).waitFor();
  expect(await page.locator('hf-checks tr[data-check]').count()).toBe(8);
  expect(await page.locator('hf-checks .about').textContent()).toMatch(/^Block 2, “How are you”, 3 tokens\./);
  await page.locator('#prompt').fill('How are you doing');
  await page.locator('hf-checks .about', { hasText: '“How are you doing”' }).waitFor();
  await holding.nth(7).waitFor();
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
  await page.locator('hf-options input[type=file]').setInputFiles(shaped);
  await page.locator('hf-published button', { hasText: /verify against published values/i }).click();
  await page.locator('hf-published [role=status]', { hasText: 'failed' }).waitFor();
  const rows = await cells(page, 'hf-published tbody tr');
  const shown = rows.map(([what = '', expected = '', got = '', , , verdict = '']) => [
    what,
    plainNumber(expected),
    plainNumber(got),
    verdict,
  ]);
  const failed = shown.filter((row) => row.at(-1) === 'FAILS').length;
  expect(await page.locator('hf-published [role=status]').textContent()).toBe(
    `${shown.length} compared, ${failed} failed.`,
  );
  const expected = verified();
  expect(failed).toBeGreaterThan(10);
  expect(shown).toEqual([
    ...expected.filter((row) => row[3] === 'FAILS'),
    ...expected.filter((row) => row[3] === 'holds'),
  ]);
});

test.each(['shapes', 'log', 'checks'])('%s at 390 px: the page does not scroll sideways', async (inside) => {
  const page = await start({ inside }, 390);
  await page.locator(`hf-${inside} tbody tr`).first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.locator('hf-inside button[aria-expanded=true]').click();
  await expect.poll(() => page.locator(`hf-${inside}`).count()).toBe(0);
  expect(page.url()).not.toContain('inside');
});
