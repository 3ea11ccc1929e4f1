// The breakdown's rows, formulas and symbols, from explanations of the engine itself.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, Session } from '../../engine/api';
import { parseCell } from '../../engine/explanation';
import { openFile } from '../../engine/node';
import { MINI_PATH } from '../../engine/testing/models';
import { plain } from '../../ui/marks/math';
import { largestCell, placeOfCell } from '../flow/places';
import { formulaOf } from './formula';
import { operandLines, termRows } from './rows';
import { cellSymbol } from './symbols';

let engine: Engine;
let session: Session;

beforeAll(async () => {
  engine = await openFile(MINI_PATH);
  session = await engine.createSession();
  await session.setTokens([5, 3, 8, 1]);
});
afterAll(() => engine.close());

const names = () => ({ nodes: engine.info.nodes, blocks: 2, headDim: 16 });

function symbol(text: string): string {
  const cell = parseCell(text);
  if (!cell) throw new Error(text);
  return plain(cellSymbol(cell, engine.info.nodes, 2)).replace(/\s+/g, ' ');
}

describe('rows', () => {
  test('largest first or in order, with a sum that ends at the result', async () => {
    const query = await session.explain('Qcur-0[1,2,3]');
    for (const order of ['largest', 'given'] as const) {
      const rows = termRows(query, order);
      expect(rows).toHaveLength(65);
      expect(rows.at(-1)?.soFar).toBeCloseTo(query.result, 9);
      expect(Math.max(...rows.map(({ bar }) => Math.abs(bar)))).toBe(1);
    }
    const sizes = termRows(query, 'largest').map(({ term }) => Math.abs(term));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(termRows(query, 'given').at(-1)?.label).toEqual({ kind: 'bias' });
  });

  test('shares of a softmax add up to 1, and one is the number’s own', async () => {
    const rows = termRows(await session.explain('kq_soft_max-1[0,3,1]'), 'given');
    expect(rows.reduce((sum, { share }) => sum + (share ?? 0), 0)).toBeCloseTo(1, 12);
    expect(rows.map(({ own }) => own)).toEqual([false, true, false, false]);
    expect(rows.map(({ label }) => label)).toEqual([0, 1, 2, 3].map((token) => ({ kind: 'token', token })));
  });

  test('one head’s terms are counted as the columns of all heads', async () => {
    const [first] = termRows(await session.explain('attn_out_mm-0[2,1,5]'), 'given');
    expect(first?.label).toEqual({ kind: 'index', index: 32 });
    expect(first?.operands[0]?.cell).toBe('kqv_out-0[1,32]');
  });
});

test('every function has a formula that begins with its cell', async () => {
  const seen = new Set<string>();
  for (const info of engine.info.nodes) {
    const name = info.perBlock ? `${info.name}-1${info.suffix}` : info.name;
    const cell = `${name}[${info.axes[0] === 'H' ? '1,2,0' : '2,0'}]`;
    const explanation = await session.explain(cell);
    seen.add(explanation.function);
    const formula = plain(formulaOf(explanation, names()).symbols).replace(/\s+/g, ' ');
    expect(formula.startsWith(`${symbol(cell)} = `), formula).toBe(true);
    expect(operandLines(explanation).length, cell).toBeGreaterThan(0);
  }
  expect(seen.size).toBe(13);
});

test('symbols carry block, head and indices; matrices are [in, out]', () => {
  expect(symbol('kq_soft_max-1[3,2,0]')).toBe('P1.3[2, 0]');
  expect(symbol('wqkv_b-1[2,7]')).toBe('QKV1[2, 7]');
  expect(symbol('norm-1[2,0]')).toBe('X\u03021[2, 0]');
  expect(symbol('norm-1#1[2,0]')).toBe('R\u03021[2, 0]');
  expect(symbol('l_out-0[2,0]')).toBe('X1[2, 0]');
  expect(symbol('norm[2,0]')).toBe('X\u03022[2, 0]');
  expect(symbol('blk.0.attn_qkv.weight[7,2]')).toBe('WQKV[2, 7]');
  expect(symbol('blk.0.attn_qkv.bias[7]')).toBe('bQKV[7]');
  expect(symbol('token_embd.weight[7,2]')).toBe('Etok[7, 2]');
});

test('places in the figure', () => {
  const shape = { tokens: 4, width: 64, heads: 4, headDim: 16 };
  const place = (text: string, block: number) => {
    const cell = parseCell(text);
    return cell && placeOfCell(cell, block, shape);
  };
  expect(place('kq-1[3,2,0]', 0)).toEqual({ block: 1, head: 3, cell: { stage: 'raw', row: 2, column: 0 } });
  expect(place('wqkv_b-0[2,70]', 0)).toEqual({ block: 0, head: null, cell: { stage: 'k', row: 2, column: 6 } });
  expect(place('l_out-0[2,7]', 1)).toEqual({ block: 1, head: null, cell: { stage: 'x', row: 2, column: 7 } });
  expect(place('attn_out_mm-0[1,2,7]', 0)).toBeNull();
  expect(place('norm-0[2,7]', 0)).toBeNull();
  const lines = [0, 1].map((row) => ({
    name: 'kq-0',
    heads: [1, 2] as const,
    rows: [row, row + 1] as const,
    columns: [2, 4] as const,
  }));
  expect(largestCell(lines, [1, -3, 2, Number.NEGATIVE_INFINITY])).toBe('kq-0[1,0,3]');
});
