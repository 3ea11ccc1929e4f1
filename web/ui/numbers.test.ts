// Numbers as they are written on the page.
import { expect, test } from 'vitest';
import { brief, bytes, decimal, exact, percent, share } from './numbers';

test.each([
  [0.41234, '0.4123'],
  [-2.5, '−2.5000'],
  [0, '0.0000'],
  [-0, '0.0000'],
  [-0.00001, '−1.00e−5'],
  [1234.567, '1234.6'],
  [Number.NEGATIVE_INFINITY, '−∞'],
])('%f with four decimals is %s', (value, text) => {
  expect(decimal(value)).toBe(text);
});

test.each([
  [0, '0'],
  [1, '1.00'],
  [-12.34, '−12.3'],
  [431.2, '431'],
  [0.0456, '0.046'],
  [0.0004, '4.0e−4'],
])('%f in brief is %s', (value, text) => {
  expect(brief(value)).toBe(text);
});

test('exact values say all that a float32 holds', () => {
  expect(exact(Math.fround(0.1))).toBe('0.100000001');
  expect(exact(-1.5)).toBe('−1.5');
});

test('shares and sizes', () => {
  expect([percent(0.412), percent(0.0412), percent(0.9999)]).toEqual(['41 %', '4.1 %', '100 %']);
  expect([bytes(12), bytes(131072), bytes(5242880)]).toEqual(['12 B', '131 kB', '5.2 MB']);
});

test('what is there is never written as nothing', () => {
  expect([percent(0.0005), percent(0.00049), percent(1e-12), percent(0)]).toEqual([
    '0.1 %',
    '< 0.1 %',
    '< 0.1 %',
    '0.0 %',
  ]);
  expect([share(0.978), share(0.0046), share(0.0004), share(0)]).toEqual(['0.98', '0.005', '< 0.001', '0.00']);
});
