// The guessed widths of texts, against what Chromium measured with the page's typefaces at 100 px.
import { expect, test } from 'vitest';
import type { TextMark } from './marks';
import { brokenRuns, textWidth } from './measure';
import { cutLabels, overprints } from './testing/clashes';

const at = (x: number, y: number, text: string, more: Partial<TextMark> = {}): TextMark => ({
  kind: 'text',
  x,
  y,
  runs: [{ text }],
  size: 10,
  face: 'sans',
  colour: '',
  ...more,
});

test.each([
  ['In head 3.2, ·Captain reads ·Moon with 0.98', 'sans', 400, 1775.4],
  ['softmax: who reads whom', 'sans', 400, 1091.7],
  ['[9, 2304]', 'sans', 400, 354],
  ['−0.123', 'sans', 600, 284],
  ['·Elizabeth', 'sans', 600, 426.6],
  ['In head 3.2, ·Captain reads ·Moon with 0.98', 'serif', 400, 2028.7],
  ['softmax: who reads whom', 'serif', 600, 1260.8],
  ['·Elizabeth', 'serif', 400, 478.1],
] as const)('%s in %s %i is as wide as in a browser, within 2.5 %%', (text, face, weight, measured) => {
  expect(Math.abs(textWidth(text, 100, face, weight) / measured - 1)).toBeLessThan(0.025);
});

test('a half bold text is wider than a light one, and mono letters are all alike', () => {
  expect(textWidth('Moon', 100, 'sans', 600) / textWidth('Moon', 100)).toBeCloseTo(1.03);
  expect(textWidth('ilW', 100, 'mono')).toBe(180);
});

test('lines are broken between words, and no line is wider than there is room', () => {
  const lines = brokenRuns([{ text: 'one head reads what another wrote' }], 10, 80);
  expect(lines.length).toBeGreaterThan(1);
  for (const [run] of lines) expect(textWidth(run?.text.trimEnd() ?? '', 10)).toBeLessThanOrEqual(80);
});

test('labels that overprint and labels that are cut are found, also turned ones', () => {
  const width = textWidth('Moon', 10);
  expect(overprints({ marks: [at(0, 10, 'Moon'), at(width - 2, 10, 'fox')] })).toEqual(['"Moon" on "fox"']);
  expect(overprints({ marks: [at(0, 10, 'Moon'), at(width, 10, 'fox')] })).toEqual([]);
  const turned = { turn: -48 };
  expect(overprints({ marks: [at(0, 50, 'Captain', turned), at(20, 50, 'Moon', turned)] })).toEqual([]);
  expect(overprints({ marks: [at(0, 50, 'Captain', turned), at(6, 50, 'Moon', turned)] })).toHaveLength(1);
  const drawing = { width: 50, height: 20, marks: [at(40, 10, 'Moon'), at(0, 10, 'fox'), at(20, 3, 'a')] };
  expect(cutLabels(drawing)).toEqual(['Moon', 'a']);
});
