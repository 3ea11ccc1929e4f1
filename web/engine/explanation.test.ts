// Explanations through the module and the worker's boundary: values, places, and what is refused.
import { afterEach, expect, test } from 'vitest';
import type { Engine } from './api';
import { cellAt, cellText, type Explanation, parseCell } from './explanation';
import { openFile } from './node';
import { catTokens, MINI_PATH } from './testing/models';

const opened: Engine[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

async function session() {
  const engine = await openFile(MINI_PATH);
  opened.push(engine);
  const session = await engine.createSession();
  await session.setTokens(catTokens());
  return session;
}

function sum({ parts }: Explanation): number {
  return parts.flatMap(({ terms }) => [...terms]).reduce((total, term) => total + term, 0);
}

test('a softmax weight is a share of the visible keys, of the scores that the session reads', async () => {
  const own = await session();
  const weight = await own.explain('kq_soft_max-0[1,3,2]');
  expect(weight).toMatchObject({ cell: 'kq_soft_max-0[1,3,2]', function: 'softmax', masked: false, viewOf: null });
  const [raw, scaled] = weight.parts[0]?.factors ?? [];
  expect(raw?.line).toEqual({ name: 'kq-0', heads: [1, 2], rows: [3, 4], columns: [0, 4] });
  const scores = await own.region({ node: 'kq-0', head: 1, rows: [3, 4], columns: [0, 4] });
  expect(raw?.values).toEqual(scores.data);
  const exponentials = Array.from(scaled?.values ?? [], (score) => Math.exp(score));
  const share = (exponentials[2] ?? 0) / exponentials.reduce((a, b) => a + b, 0);
  expect(weight.value).toBeCloseTo(share, 6);
  expect(weight.error).toBeLessThanOrEqual(weight.bound);
});

test('a query is its products with a row of weights, each a code times a scale', async () => {
  const query = await (await session()).explain('Qcur-1[2,3,5]');
  expect(query).toMatchObject({ function: 'matrix', viewOf: 'wqkv_b-1[3,37]' });
  expect(query.parts.map(({ terms }) => terms.length)).toEqual([64, 1]);
  const [z, w] = query.parts[0]?.factors ?? [];
  for (let i = 0; i < 64; ++i) {
    expect(z?.used[i]).toBe((z?.codes[i] ?? 0) * (z?.scales[i] ?? 0));
    expect(w?.values[i]).toBe((w?.codes[i] ?? 0) * (w?.scales[i] ?? 0));
  }
  expect(query.parts[1]?.factors[0]?.line).toEqual({
    name: 'blk.1.attn_qkv.bias',
    heads: null,
    rows: null,
    columns: [37, 38],
  });
  expect(sum(query)).toBe(query.result);
  expect(Math.abs(query.result - query.value)).toBeLessThanOrEqual(query.bound);
});

test('a number of any block and of the file can be asked for, one after the other', async () => {
  const own = await session();
  for (const cell of [
    'result_output[4,9]',
    'ffn_gelu-1[2,200]',
    'kq-0[0,1,0]',
    'blk.0.ffn_up.weight[3,4]',
    'embd[0,0]',
  ]) {
    const explanation = await own.explain(cell);
    expect(explanation.cell).toBe(cell);
    expect(explanation.error).toBeLessThanOrEqual(explanation.bound);
  }
});

test('what is no cell is refused', async () => {
  const own = await session();
  await expect(own.explain('kq-0[0,1]')).rejects.toMatchObject({ code: 'bad_argument' });
  await expect(own.explain('none[0,0]')).rejects.toMatchObject({ code: 'bad_argument' });
});

test('cells as text', () => {
  expect(parseCell('blk.0.attn_qkv.bias[7]')).toEqual({ name: 'blk.0.attn_qkv.bias', indices: [7] });
  expect(parseCell('norm-0#1[4,63]')).toEqual({ name: 'norm-0#1', indices: [4, 63] });
  for (const text of ['', 'kq-0', 'kq-0[]', 'kq-0[1,]', 'kq-0[1,2,3,4]', 'kq-0[-1]', 'kq-0[1]x']) {
    expect(parseCell(text), text).toBeNull();
  }
  const line = { name: 'Vcur-0', heads: [2, 3], rows: [0, 4], columns: [5, 6] } as const;
  expect(cellText(cellAt(line, 3))).toBe('Vcur-0[2,3,5]');
});
