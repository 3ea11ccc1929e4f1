// The colours of the weights: 0 to 1, or as far as the reader asks; what lies beyond is said to be clipped.
import { expect, test } from 'vitest';
import { planFlow } from './drawing';
import { flowScales } from './scales';
import { catData, shape } from './testing/dumps';

const data = catData(1, 2, planFlow(shape, shape.tokens, { width: 1376, names: false, aside: 0 }));
const picture = data.parts.get('p')?.picture;
const scale = (withoutFirstKey: boolean, fitWeights: boolean) =>
  flowScales(data, { withoutFirstKey, fitWeights }).get('p');

test('weights are coloured from 0 to 1', () => {
  expect(scale(false, false)).toMatchObject({ limit: 1, clipped: false });
});

test('fitted, their colours end at the 0.99 quantile', () => {
  const sorted = Array.from(picture?.data ?? []).sort((a, b) => a - b);
  // Nearest rank, of one bin for each weight.
  const quantile = sorted[Math.ceil(0.99 * sorted.length) - 1];
  expect(scale(false, true)).toMatchObject({ limit: quantile, clipped: Math.max(...sorted) > (quantile ?? 0) });
});

test('without key 0 and fitted, they end at the lesser of the two', () => {
  const ends = [scale(true, false)?.limit ?? 0, scale(false, true)?.limit ?? 0];
  expect(scale(true, true)?.limit).toBe(Math.min(...ends));
});
