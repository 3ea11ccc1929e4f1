import { expect, test } from 'vitest';
import { Traffic } from './traffic';

test('the speed is that of the last seconds', () => {
  const traffic = new Traffic();
  expect(traffic.speed(0)).toBeNull();
  for (let at = 0; at <= 2000; at += 100) traffic.receive(1000, at);
  expect(traffic.received).toBe(21_000);
  expect(traffic.speed(2100)).toBeCloseTo(10_000, -1);
  expect(traffic.speed(9000)).toBeNull();
});
