// The log's entries, sections, filter and values, from the engine itself and against llama.cpp's dump.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, LogEntry, Session } from '../../engine/api';
import { openFile } from '../../engine/node';
import { MINI_PATH } from '../../engine/testing/models';
import { readNpy } from '../../test/npy';
import { enLog } from '../../ui/words/en-log';
import { readingWork, runningWork } from '../inside/work';
import { sections, shapeText, valueRows } from './list';

const DUMP = new URL('../../../cpp/testdata/gpt2-mini/how/', import.meta.url);

let engine: Engine;
let session: Session;
let log: readonly LogEntry[];

beforeAll(async () => {
  engine = await openFile(MINI_PATH);
  session = await engine.createSession();
  await session.setTokens(JSON.parse(readFileSync(new URL('trace.json', DUMP), 'utf8')).tokens);
  log = await engine.log(2);
});
afterAll(() => engine.close());

describe('filter', () => {
  const found = async (filter: string) => (await engine.log(2, filter)).map(({ name }) => name);

  test('finds the product and the addition that llama.cpp leaves unnamed', async () => {
    const entries = await engine.log(2, 'blk\\.0\\.attn_output\\.(weight|bias)');
    expect(entries.map(({ name, operation, unnamed }) => [name, operation, unnamed])).toEqual([
      ['attn_out_mm-0', 'MUL_MAT', true],
      ['attn_out-0', 'ADD', true],
    ]);
  });

  test('matches names too, everything when empty, nothing where there is no match', async () => {
    expect(await found('^Qcur-1$')).toEqual(['Qcur-1', 'kq-1']);
    expect(await engine.log(2, '')).toEqual(log);
    expect(await found('no such node')).toEqual([]);
    expect(enLog.found(0, log.length)).toMatch(/^None of/);
  });

  test.each([
    ['(', 'character 1: got a group that is not closed'],
    ['a{2}', 'a repetition in braces'],
    ['(?=kq)', 'a group of another kind'],
    ['kq\\b', 'character 3'],
    ['(kq)\\1', 'character 5'],
    ['a*?', 'character 3'],
  ])('%s is refused by its name and place, as the command refuses it', async (filter, says) => {
    await expect(engine.log(2, filter)).rejects.toMatchObject({
      code: 'bad_argument',
      message: expect.stringContaining(says),
    });
  });

  test('what takes other engines a lifetime or their stack ends at once', async () => {
    const begin = performance.now();
    expect(await found('(.*)*!')).toEqual([]);
    expect(await found(`${'('.repeat(20_000)}kq-1${')'.repeat(20_000)}`)).toContain('kq-1');
    await expect(engine.log(2, '('.repeat(20_000))).rejects.toMatchObject({ code: 'bad_argument' });
    expect(performance.now() - begin).toBeLessThan(5000);
  });
});

test('sections: before, one block or all of them, after', () => {
  const parts = (block: number | null) => sections(log, block).map(({ kind, block: of }) => [kind, of]);
  expect(parts(1)).toEqual([
    ['before', 0],
    ['block', 1],
    ['after', 0],
  ]);
  expect(parts(null)).toEqual([
    ['before', 0],
    ['block', 0],
    ['block', 1],
    ['after', 0],
  ]);
  expect(sections(log, null).flatMap(({ entries }) => entries)).toEqual(log);
});

test('shapes in both orders', () => {
  const query = log.find(({ name }) => name === 'Qcur-0');
  expect(query && shapeText(query, false)).toBe('{16, 4, 2}');
  expect(query && shapeText(query, true)).toBe('[4, 2, 16]');
});

describe('values', () => {
  test('are the ends of llama.cpp’s rows, and the sum of all', async () => {
    await session.run({ kind: 'mlp', block: 0 }, true);
    for (const name of ['inpL', 'wqkv_b-0', 'kq-0', 'kqv_out-0']) {
      const { shape, values } = readNpy(new URL(`${name}.npy`, DUMP).pathname);
      const width = shape.at(-1) ?? 0;
      const read = await session.logValues(name);
      expect(read.sum, name).toBeCloseTo(
        values.reduce((sum, value) => sum + value, 0),
        3,
      );
      read.rows.forEach((row, i) => {
        read.columns.forEach((column, j) => {
          const there = values[row * width + column] ?? Number.NaN;
          expect(read.values[i * read.columns.length + j], `${name} ${row} ${column}`).toBeCloseTo(there, 4);
        });
      });
    }
  });

  test('are refused where nothing has run', async () => {
    await expect(session.logValues('kq-1')).rejects.toMatchObject({ code: 'not_loaded' });
  });

  test('have gaps where something is left out', () => {
    const rows = Int32Array.of(0, 1, 2, 5, 6, 7);
    const values = Float32Array.from({ length: 12 }, (_, i) => i);
    const shown = valueRows({ rows, columns: Int32Array.of(0, 3), values, sum: 0 });
    expect(shown.map((row) => row?.length)).toEqual([3, 3, 3, undefined, 3, 3, 3]);
    expect(shown[4]).toEqual(['6.0000', null, '7.0000']);
  });
});

test('nothing is lacking of a file that is there', async () => {
  expect(await session.lacking({ kind: 'logits', block: 0 })).toBe(0);
});

test('work: scores, weights and logits are computed when they are read', () => {
  const work = (name: string) => {
    const entry = log.find((one) => one.name === name);
    return entry && readingWork(entry, engine.info);
  };
  expect(work('wqkv-0')).toBe(2 * 192);
  expect(work('kq_soft_max-1')).toBe(4 * 2 * 2 * 16);
  expect(work('result_output')).toBe(2 * 272 * 64);
  expect(runningWork({ kind: 'embed', block: 0 }, 2, engine.info)).toBe(0);
  const [first, second] = [0, 1].map((block) => runningWork({ kind: 'mlp', block }, 2, engine.info));
  expect(second).toBe(2 * (first ?? 0));
});

test('every note is of a node in the log', () => {
  const names = new Set(log.map(({ name }) => name.split('-')[0]));
  for (const key of Object.keys(enLog.notes)) expect(names).toContain(key);
});
