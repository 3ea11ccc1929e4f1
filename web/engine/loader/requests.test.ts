import { expect, test } from 'vitest';
import { coveredSize, READ_THROUGH } from '../source/range';
import { coalesce, firstBatch, LONGEST_REQUEST, rangesOf, SHORT_AT_ONCE } from './requests';

const range = (begin: number, end: number) => ({ begin, end });

test('bounds come in pairs', () => {
  expect(rangesOf(Float64Array.of(1, 5, 7, 9))).toEqual([range(1, 5), range(7, 9)]);
});

test('what is wanted twice counts once', () => {
  expect(coveredSize([range(7, 9), range(1, 5), range(2, 4), range(4, 8), range(1, 5)])).toBe(8);
  expect(coveredSize([])).toBe(0);
});

test('short gaps are read through, long ones are not', () => {
  const near = range(100 + READ_THROUGH, 200 + READ_THROUGH);
  expect(coalesce([range(0, 100), near])).toEqual([range(0, near.end)]);
  const far = range(101 + READ_THROUGH, 200 + READ_THROUGH);
  expect(coalesce([range(0, 100), far])).toEqual([range(0, 100), far]);
});

test('the order in which ranges are wanted stays', () => {
  expect(coalesce([range(500, 600), range(0, 100), range(100, 120)])).toEqual([range(500, 600), range(0, 120)]);
});

test('what two stages want is asked for once', () => {
  expect(coalesce([range(0, 100), range(90_000, 90_100), range(0, 100)])).toEqual([
    range(0, 100),
    range(90_000, 90_100),
  ]);
});

test('long ranges are split', () => {
  const end = 2 * LONGEST_REQUEST + 10;
  expect(coalesce([range(5, end)])).toEqual([
    range(5, 5 + LONGEST_REQUEST),
    range(5 + LONGEST_REQUEST, 5 + 2 * LONGEST_REQUEST),
    range(5 + 2 * LONGEST_REQUEST, end),
  ]);
});

test('short requests go beside each other, a long one alone', () => {
  const short = Array.from({ length: SHORT_AT_ONCE + 3 }, (_, i) => range(i * 100_000, i * 100_000 + 100));
  const long = range(1e7, 1.1e7);
  expect(firstBatch([...short, long])).toEqual(short.slice(0, SHORT_AT_ONCE));
  expect(firstBatch([...short.slice(0, 2), long])).toEqual(short.slice(0, 2));
  expect(firstBatch([long, ...short])).toEqual([long]);
  expect(firstBatch([])).toEqual([]);
});
