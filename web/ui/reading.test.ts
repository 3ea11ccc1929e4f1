// The sentence of what a query reads: words with positions, and numbers that are never written as nothing.
import { expect, test } from 'vitest';
import { largestKeys, readingRuns } from './reading';
import { en } from './words/en';

const tokens = ['A', ' dog', ' named', ' Captain', ' Moon'].map((text, id) => ({
  id,
  bytes: new TextEncoder().encode(text),
}));
const said = (row: number, ...weights: number[]): string =>
  readingRuns({ block: 3, head: 2, tokens, row, weights: Float32Array.from(weights) }, en)
    .map(({ text }) => text)
    .join('');

test('block and head, words with their positions, weights with two decimals', () => {
  expect(said(4, 0.005, 0.005, 0.005, 0.98, 0.005)).toBe(
    'In head 3.2, ·Moon (4) reads ·Captain (3) with 0.98; the other 4 tokens it sees share 0.02.',
  );
  expect(said(2, 0.5, 0.1, 0.4, 0, 0)).toBe(
    'In head 3.2, ·named (2) reads A (0) with 0.50, itself with 0.40 and ·dog (1) with 0.10.',
  );
});

test('the first token has nothing else to read', () => {
  expect(said(0, 1)).toBe('In head 3.2, A (0) is the first token: it has nothing else to read than itself.');
});

test('a small rest is not written as zero, and masked keys are not counted', () => {
  expect(said(1, 0.9999, 0.0001, 0.7, 0.7, 0.7)).toContain('the other token it sees gets < 0.001.');
  expect(largestKeys({ row: 1, weights: Float32Array.of(0.25, 0.75, 0.9) })).toEqual([
    { key: 1, weight: 0.75 },
    { key: 0, weight: 0.25 },
  ]);
});
