// The shape table against the manifest that the dumps of llama.cpp's tensors came with, and its Markdown.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../engine/api';
import { openFile } from '../../engine/node';
import { MINI_PATH } from '../../engine/testing/models';
import { enShapes } from '../../ui/words/en-shapes';
import { shapesMarkdown } from './markdown';
import { nodeKey, shapeTable } from './table';

const words = enShapes;
let engine: Engine;

beforeAll(async () => {
  engine = await openFile(MINI_PATH);
});
afterAll(() => engine.close());

/** Logical shapes by node name, of two tokens. */
function dumped(): Readonly<Record<string, readonly number[]>> {
  const text = readFileSync(new URL('../../../cpp/testdata/gpt2-mini/how/trace.json', import.meta.url), 'utf8');
  return JSON.parse(text).nodes;
}

const rowsOf = (tokens: number, block: number) =>
  shapeTable(engine.info, tokens, block).flatMap(({ rows }) => [...rows]);

test.each([0, 1])('every node of block %i once, with the shape that llama.cpp’s tensors have', (block) => {
  const rows = rowsOf(2, block);
  expect(new Set(rows.map(({ info }) => info))).toEqual(new Set(engine.info.nodes));
  expect(rows).toHaveLength(engine.info.nodes.length);
  const shapes = dumped();
  const known = rows.filter(({ node }) => node in shapes);
  expect(known.length).toBeGreaterThan(25);
  for (const { node, shape } of known) expect(shape, node).toBe(`[${shapes[node]?.join(', ')}]`);
});

test('Q, K and V are views of the fused result, token by token', () => {
  const views = rowsOf(2, 1).filter(({ view }) => view);
  expect(views.map(({ node, ggml, view }) => ({ node, ggml, ...view }))).toEqual(
    ['Qcur-1', 'Kcur-1', 'Vcur-1'].map((node, third) => ({
      node,
      ggml: '{16, 4, 2}',
      base: 'wqkv_b-1',
      elements: 64 * third,
      bytes: 256 * third,
      strides: [4, 64, 768],
    })),
  );
});

test('every node and every group has words', () => {
  for (const { id, rows } of shapeTable(engine.info, 2, 0)) {
    expect(words.groups[id]).not.toBe('');
    expect(rows.length, id).toBeGreaterThan(0);
    for (const { info } of rows) expect(words.nodes[nodeKey(info)], nodeKey(info)).toBeTruthy();
  }
});

test('as Markdown: one line for each node, as many columns in each', () => {
  const lines = shapesMarkdown(shapeTable(engine.info, 2, 1), 2, words)
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(2 + engine.info.nodes.length);
  expect(new Set(lines.map((line) => line.split(' | ').length))).toEqual(new Set([7]));
  expect(lines).toContain('| Fused QKV: product | $Z_l W_{QKV}$ | `[T, 3D]` | `[2, 192]` | `wqkv-1` | `{192, 2}` |  |');
  expect(lines).toContain(
    '| Split into heads: keys | $K_h$ | `[H, T, D_h]` | `[4, 2, 16]` | `Kcur-1` | `{16, 4, 2}` | ' +
      'view of wqkv_b-1 at 64 elements = 256 bytes, strides 4, 64, 768 bytes |',
  );
});
