// The line of words: every bar is a weight of llama.cpp's dump, and no label overprints another, at every width and length.
import { describe, expect, test } from 'vitest';
import { palettes } from '../../ui/colour/palette';
import type { Mark, PathMark, TextMark } from '../../ui/marks/marks';
import { cutLabels, overprints } from '../../ui/marks/testing/clashes';
import { enScreen } from '../../ui/words/en-screen';
import { dump, element, promptOf, shape, tokensOf } from '../flow/testing/dumps';
import { BAR, drawWords, type WordsData, type WordsView } from './drawing';

const view = (width: number, ids = false): WordsView => ({ width, palette: palettes.light, words: enScreen, ids });

const next = { id: 12, bytes: new TextEncoder().encode(' Moon'), logit: 1, probability: 0.97 };

function dumped(row: number): WordsData {
  const softmax = dump('kq_soft_max-1');
  const weights = Float32Array.from({ length: shape.tokens }, (_, key) => element(softmax, 3, row, key));
  return { tokens: tokensOf(promptOf(shape.tokens)), block: 1, head: 3, row, weights, next };
}

const data = (count: number, row = count - 1): WordsData => {
  const weights = Float32Array.from({ length: count }, (_, key) => (key > row ? 0 : key === row ? 0.4 : 0.6 / row));
  return { tokens: tokensOf(promptOf(count)), block: 3, head: 2, row, weights, next };
};

const texts = (marks: readonly Mark[]) => marks.filter((mark): mark is TextMark => mark.kind === 'text');

/** Heights of the bars, from the path's rectangles. */
function bars(marks: readonly Mark[]): number[] {
  const filled = marks.find((mark): mark is PathMark => mark.kind === 'path' && mark.fill !== undefined);
  return [...(filled?.path.matchAll(/v([\d.e-]+)h-/g) ?? [])].map(([, height]) => Number(height));
}

test.each([[12], [5]])('row %i: a bar is as high as the tensor’s weight, later tokens have none', (row) => {
  const dumpedRow = dumped(row);
  const heights = bars(drawWords(dumpedRow, view(1280)).marks);
  expect(heights).toHaveLength(row + 1);
  heights.forEach((height, key) => {
    expect(height / BAR, `key ${key}`).toBeCloseTo(dumpedRow.weights?.[key] ?? Number.NaN, 6);
  });
});

test('the largest weights are written, the prediction ends the line', () => {
  const drawing = drawWords(dumped(12), view(1280));
  const weights = Array.from(dumped(12).weights ?? []).sort((a, b) => b - a);
  const said = texts(drawing.marks).map(({ runs }) => runs.map((run) => run.text).join(''));
  expect(said).toContain((weights[0] ?? 0).toFixed(2).replace('0.', '.'));
  expect(said).toContain('▸·Moon 97 %');
  expect(drawing.prediction?.x).toBeGreaterThan(drawing.places.at(-1)?.x ?? 0);
});

test('without weights there are no bars, without a prediction none', () => {
  const drawing = drawWords({ ...data(9), weights: null, next: null }, view(800));
  expect(bars(drawing.marks)).toEqual([]);
  expect(drawing.prediction).toBeNull();
});

test('tokens that are parts of one character share its place, and their weights are added', () => {
  const bytes = (...values: number[]) => ({ id: 1, bytes: Uint8Array.from(values) });
  const tokens = [bytes(0x61), bytes(0xf0, 0x9f), bytes(0x99, 0x82), bytes(0x62)];
  const weights = Float32Array.of(0.25, 0.25, 0.25, 0.25);
  const drawing = drawWords({ tokens, block: 0, head: 0, row: 3, weights, next: null }, view(400));
  expect(drawing.places.map((place) => place.tokens)).toEqual([
    [0, 1],
    [1, 3],
    [3, 4],
  ]);
  expect(bars(drawing.marks)).toEqual([BAR / 4, BAR / 2, BAR / 4]);
});

describe.each([[358], [736], [976], [1216], [1376], [1840]])('at %i px', (width) => {
  test.each([[1], [2], [9], [20], [54], [250]])('%i tokens: nothing overprints, nothing is cut', (count) => {
    for (const row of new Set([0, Math.floor(count / 2), count - 1])) {
      for (const ids of [false, true]) {
        const drawing = drawWords(data(count, row), view(width, ids));
        expect(overprints(drawing), `row ${row}`).toEqual([]);
        expect(cutLabels(drawing), `row ${row}`).toEqual([]);
        const bold = texts(drawing.marks).filter(
          ({ runs, size }) => size === 18 && runs.length === 1 && runs[0]?.weight === 600,
        );
        expect(bold, 'the selected word').toHaveLength(1);
      }
    }
  });
});

test('words do not move when another token is selected', () => {
  expect(drawWords(data(54, 3), view(736)).places).toEqual(drawWords(data(54, 50), view(736)).places);
});
