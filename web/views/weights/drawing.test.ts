// The large square: every cell is llama.cpp's number at every stage, and its labels fit at every width and length.
import { describe, expect, test } from 'vitest';
import type { Picture, Span } from '../../engine/api';
import { palettes } from '../../ui/colour/palette';
import type { CellsMark, TextMark } from '../../ui/marks/marks';
import { svgText } from '../../ui/marks/svg';
import { cutLabels, overprints } from '../../ui/marks/testing/clashes';
import { type ScoreStage, scoreStages } from '../../ui/screen';
import { enScreen } from '../../ui/words/en-screen';
import { dump, element, pool, promptOf, shape, tokensOf } from '../flow/testing/dumps';
import { type KeptStage, stageScale, type WeightsData } from './data';
import { drawWeights, type WeightsDrawing, type WeightsView } from './drawing';
import { planWeights } from './plan';

const view = (width: number, stage: ScoreStage = 'p', more: Partial<WeightsView> = {}): WeightsView => ({
  width,
  side: width < 480 ? width : 420,
  stage,
  scale: 'auto',
  palette: palettes.light,
  words: enScreen,
  terse: false,
  cell: null,
  ...more,
});

const NODES: Readonly<Record<KeptStage, string>> = {
  raw: 'kq-1',
  scaled: 'kq_scaled-1',
  masked: 'kq_masked-1',
  p: 'kq_soft_max-1',
};
const HEAD = 3;

function dumped(row: number): WeightsData {
  const all: Span = [0, shape.tokens];
  const pictures = Object.entries(NODES).map(([stage, node]): [KeptStage, Picture] => [
    stage as KeptStage,
    pool(dump(node), HEAD, all, all, shape.tokens, shape.tokens),
  ]);
  const weights = Float32Array.from({ length: shape.tokens }, (_, key) => element(dump(NODES.p), HEAD, row, key));
  return {
    tokens: tokensOf(promptOf(shape.tokens)),
    block: 1,
    head: HEAD,
    rows: all,
    pictures: new Map(pictures),
    row,
    weights,
  };
}

/** Weights that are large where labels would meet: on neighbouring keys, at one end. */
function made(count: number, row: number, width: number, large: readonly number[]): WeightsData {
  const plan = planWeights(count, count, width, view(width).side);
  const all: Span = [0, count];
  const values = Float32Array.from({ length: count * count }, (_, index) => {
    const [query, key] = [Math.floor(index / count), index % count];
    return key > query ? 0 : large.includes(key) ? 0.31 : 0.07 / (query + 1);
  });
  const scores = values.map((value, index) =>
    index % count > Math.floor(index / count) ? Number.NEGATIVE_INFINITY : -12.5 + 20 * value,
  );
  const picture = (data: Float32Array): Picture =>
    pool({ shape: [count, count], values: data }, 0, all, all, plan.rows, plan.columns);
  return {
    tokens: tokensOf(promptOf(count)),
    block: 11,
    head: 11,
    rows: all,
    pictures: new Map([
      ['raw', picture(scores)],
      ['scaled', picture(scores)],
      ['masked', picture(scores)],
      ['p', picture(values)],
    ]),
    row,
    weights: values.slice(row * count, (row + 1) * count),
  };
}

const cells = ({ marks }: WeightsDrawing) => marks.find((mark): mark is CellsMark => mark.kind === 'cells');
const texts = ({ marks }: WeightsDrawing) => marks.filter((mark): mark is TextMark => mark.kind === 'text');
const said = (drawing: WeightsDrawing) => texts(drawing).map(({ runs }) => runs.map(({ text }) => text).join(''));

test.each(Object.entries(NODES))('%s: the cells are the tensor’s', (stage, node) => {
  const mark = cells(drawWeights(dumped(12), view(700, stage as KeptStage)));
  const tensor = dump(node);
  const expected = Array.from({ length: shape.tokens ** 2 }, (_, index) =>
    element(tensor, HEAD, Math.floor(index / shape.tokens), index % shape.tokens),
  );
  expect(Array.from(mark?.values ?? [])).toEqual(expected.map(Math.fround));
});

test('less the maximum is what exp receives: its exponentials, shared, are llama.cpp’s weights', () => {
  const mark = cells(drawWeights(dumped(12), view(700, 'lessMaximum')));
  const softmax = dump(NODES.p);
  for (let row = 0; row < shape.tokens; row++) {
    const exps = Array.from(mark?.values.subarray(row * shape.tokens, (row + 1) * shape.tokens) ?? [], Math.exp);
    expect(Math.max(...exps)).toBe(1);
    const sum = exps.reduce((a, b) => a + b, 0);
    exps.forEach((exp, key) => {
      expect(Math.abs(exp / sum - element(softmax, HEAD, row, key))).toBeLessThan(2e-6);
    });
  }
});

test('the selected row’s weights are written into its cells, its largest keys in bold', () => {
  const data = dumped(12);
  const drawing = drawWeights(data, view(700));
  for (const weight of data.weights) {
    expect(said(drawing)).toContain(weight >= 0.995 ? '1' : weight.toFixed(2).replace(/^0/, ''));
  }
  const bold = texts(drawing).filter(({ turn, runs }) => turn !== undefined && runs[0]?.weight !== undefined);
  expect(bold).toHaveLength(3);
});

test('a long prompt’s colours are fitted, row 0 left out, and it is said; a short one’s end at 1', () => {
  const long = made(54, 53, 700, [3]);
  const picture = long.pictures.get('p');
  if (!picture) throw new Error('no picture');
  expect(stageScale(long, 'p', picture, 'auto')).toMatchObject({ limit: Math.fround(0.31), kind: 'sequential' });
  expect(stageScale(long, 'p', picture, 'whole').limit).toBe(1);
  expect(said(drawWeights(long, view(700))).join(' ')).toMatch(/Fitted: the colours end at/);
  const short = dumped(12);
  expect(cells(drawWeights(short, view(700)))?.scale.limit).toBe(1);
  expect(said(drawWeights(short, view(700, 'p', { scale: 'fitted' }))).join(' ')).toMatch(/row 0 left out/);
});

test.each([
  [9, 1376, 420],
  [20, 1376, 420],
  [54, 1376, 420],
  [64, 1376, 420],
  [250, 1376, 420],
  [54, 460 + 140, 420],
])('%i tokens in %i px: the square is at least %i px', (count, width, least) => {
  const { box } = planWeights(count, count, width, 420);
  expect(box.width).toBe(box.height);
  expect(box.width).toBeGreaterThanOrEqual(least - 4);
  expect(box.width).toBeLessThanOrEqual(420 * 1.12);
});

describe.each([[358], [560], [700]])('at %i px', (width) => {
  test.each([[1], [2], [9], [20], [54], [250]])('%i tokens: labels neither overprint nor are cut', (count) => {
    for (const row of new Set([0, Math.floor(count / 2), count - 1])) {
      for (const large of [
        [0, 1, 2],
        [row - 2, row - 1, row],
        [0, row],
      ]) {
        const data = made(count, row, width, large);
        for (const stage of scoreStages) {
          for (const scale of ['whole', 'fitted'] as const) {
            const drawing = drawWeights(data, view(width, stage, { scale }));
            expect(overprints(drawing), `${stage}, row ${row}, ${large}`).toEqual([]);
            expect(cutLabels(drawing), `${stage}, row ${row}, ${large}`).toEqual([]);
          }
        }
        const labels = texts(drawWeights(data, view(width))).filter(({ runs }) => runs[0]?.weight === 650);
        const left = labels.filter(({ turn }) => turn === undefined);
        expect(left, 'the selected row’s label').toHaveLength(1);
        expect(labels.length - left.length, 'the largest keys').toBeGreaterThanOrEqual(Math.min(1, count));
      }
    }
  });
});

test('what is not computed is an outline with a word', () => {
  const drawing = drawWeights({ ...dumped(3), pictures: new Map() }, view(700));
  expect(cells(drawing)).toBeUndefined();
  expect(said(drawing)).toEqual(['not computed yet']);
});

test('under Node the square is a standalone SVG', () => {
  for (const stage of scoreStages) {
    expect(svgText(drawWeights(dumped(12), view(700, stage)), palettes.dark)).not.toMatch(/NaN|undefined|Infinity/);
  }
});
