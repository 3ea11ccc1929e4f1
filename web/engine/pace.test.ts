import { afterEach, expect, test, vi } from 'vitest';
import { CALL_MILLISECONDS, Pace } from './pace';

afterEach(() => vi.restoreAllMocks());

/** A machine that does `speed` multiply-accumulates per millisecond. */
function measured(pace: Pace, speed: number, whole = true): number {
  const milliseconds = pace.work / speed;
  vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(milliseconds);
  expect(
    pace.measure(
      () => 'result',
      () => whole,
    ),
  ).toBe('result');
  return milliseconds;
}

test.each([1e4, 1e6, 1e7])('settles on what fits a call, at %d per millisecond', (speed) => {
  const pace = new Pace();
  for (let i = 0; i < 12; ++i) measured(pace, speed);
  expect(measured(pace, speed)).toBeCloseTo(CALL_MILLISECONDS, 3);
});

test('a call that had less to do says nothing about more', () => {
  const pace = new Pace();
  const { work } = pace;
  measured(pace, 1e9, false);
  expect(pace.work).toBe(work);
});
