import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dequantizeRow, fromHalf, quantizeRow, rowBytes, toHalf } from './q8_0.mjs';

test('Every finite fp16 is its own nearest', () => {
  for (let half = 0; half < 0x10000; half++) {
    if ((half & 0x7c00) !== 0x7c00 && half !== 0x8000) assert.equal(toHalf(fromHalf(half)), half);
  }
});

test('Between two fp16 the nearer one is taken, the even one of a tie', () => {
  for (const half of [0, 1, 2, 0x3ff, 0x400, 0x401, 0x3c00, 0x3c01, 0x7bfe]) {
    const [below, above] = [fromHalf(half), fromHalf(half + 1)];
    const at = (part) => toHalf(below + (above - below) * part);
    assert.deepEqual([at(0.375), at(0.5), at(0.625)], [half, half % 2 === 0 ? half : half + 1, half + 1]);
  }
});

test('A row comes back to within half a step of each block', () => {
  const row = Float32Array.from({ length: 96 }, (_, i) => Math.sin(i) * 10 ** (i >> 5));
  const bytes = new Uint8Array(rowBytes(row.length) + 1);
  assert.equal(quantizeRow(row, bytes, 1), bytes.length);
  const back = new Float32Array(row.length);
  dequantizeRow(bytes, 1, back);
  for (const [i, value] of row.entries()) assert.ok(Math.abs(back[i] - value) <= (10 ** (i >> 5) / 127) * 0.51);
});

test('Codes are rounded half away from zero; zeros stay zeros', () => {
  const row = new Float32Array(64);
  row.set([127, 0.5, -0.5, 1.5, -1.5, -127]);
  const bytes = new Uint8Array(rowBytes(row.length));
  quantizeRow(row, bytes, 0);
  assert.deepEqual([...new Int8Array(bytes.buffer, 2, 7)], [127, 1, -1, 2, -2, -127, 0]);
  assert.ok(bytes.subarray(34).every((byte) => byte === 0));
});
