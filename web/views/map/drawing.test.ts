// The map of heads: every thumbnail is llama.cpp's tensor, every bar the given number, and labels fit at every size.
import { describe, expect, test } from 'vitest';
import type { Picture, Span } from '../../engine/api';
import { palettes } from '../../ui/colour/palette';
import type { Mark, PathMark, TextMark } from '../../ui/marks/marks';
import { svgText } from '../../ui/marks/svg';
import { cutLabels, overprints } from '../../ui/marks/testing/clashes';
import { lightings } from '../../ui/screen';
import { enScreen } from '../../ui/words/en-screen';
import { dump, element, pool, shape } from '../flow/testing/dumps';
import { drawMap, headSays, type MapCell, type MapData, type MapView } from './drawing';
import { planMap } from './plan';

const view = (width: number, height = 520): MapView => ({ width, height, palette: palettes.light, words: enScreen });

const cell = (more: Partial<MapCell> = {}): MapCell => ({
  state: 'shown',
  picture: null,
  measure: null,
  effect: null,
  off: false,
  ...more,
});

const all: Span = [0, shape.tokens];
const dumped = (): MapData => ({
  cells: [0, 1].map((block) =>
    Array.from({ length: shape.heads }, (_, head) =>
      cell({ picture: pool(dump(`kq_soft_max-${block}`), head, all, all, shape.tokens, shape.tokens) }),
    ),
  ),
  tokens: shape.tokens,
  focus: { block: 1, head: 2 },
  lighting: 'none',
  next: '·Moon',
});

const picture = (bins: number): Picture => ({
  shape: [bins, bins],
  data: new Float32Array(bins * bins).fill(0.25),
  binSize: [1, 1],
  minimum: 0,
  maximum: 0.25,
  quantile99: 0.25,
});

const texts = (marks: readonly Mark[]) =>
  marks.flatMap((mark) => (mark.kind === 'text' ? [(mark as TextMark).runs.map(({ text }) => text).join('')] : []));

test('every thumbnail is its head’s tensor', () => {
  const { thumbnails } = drawMap(dumped(), view(500));
  expect(thumbnails).toHaveLength(2 * shape.heads);
  for (const { place, mark } of thumbnails) {
    const tensor = dump(`kq_soft_max-${place.block}`);
    const expected = Array.from({ length: shape.tokens ** 2 }, (_, index) =>
      element(tensor, place.head, Math.floor(index / shape.tokens), index % shape.tokens),
    );
    expect(Array.from(mark.values)).toEqual(expected);
  }
});

test('a bar is as wide as its number is of the full bar; a negative one has its own colour', () => {
  const data: MapData = {
    ...dumped(),
    cells: [[cell({ measure: 4 }), cell({ measure: -1 }), cell({ measure: 0 }), cell()]],
    focus: { block: 0, head: 0 },
    lighting: 'writes',
  };
  const { marks, plan } = drawMap(data, view(500));
  const filled = marks.filter((mark): mark is PathMark => mark.kind === 'path' && mark.fill !== undefined);
  const widths = filled.map(({ path }) => [...path.matchAll(/h([\d.]+)v/g)].map(([, width]) => Number(width)));
  expect(widths).toEqual([[plan.cell], [plan.cell / 4]]);
  expect(filled[0]?.fill).not.toBe(filled[1]?.fill);
  expect(texts(marks).join(' ')).toContain('full bar: 4.00');
  expect(headSays(data, { block: 0, head: 1 }, enScreen)).toBe('Head 0.1, writes −1.00');
});

test('blocks that wait say what for, once; heads that are off are crossed; tried heads carry their numbers', () => {
  const data: MapData = {
    ...dumped(),
    cells: [
      [cell({ off: true, effect: 0.327 }), cell({ effect: 0.9951 })],
      [cell({ state: 'pending' }), cell({ state: 'pending' })],
      [cell({ state: 'absent' }), cell({ state: 'absent' })],
    ],
  };
  const { marks } = drawMap(data, view(500));
  expect(texts(marks)).toEqual(expect.arrayContaining(['not computed yet', 'not loaded', '.33', '1']));
  expect(texts(marks).filter((text) => text === 'not loaded')).toHaveLength(1);
  expect(headSays(data, { block: 0, head: 0 }, enScreen)).toBe('Head 0.0, off, ·Moon .33 with this head off');
});

test('cells are as large as the space allows: 60 px for 4 x 8, 38 px for 12 x 12, 26 px on a projector', () => {
  expect(planMap(4, 8, 9, 0, 600, 600).cell).toBe(60);
  expect(planMap(12, 12, 64, 0, 600, 600).cell).toBe(38);
  expect(planMap(12, 12, 64, 0, 358, 600)).toMatchObject({ blocks: [0], perLine: 6 });
  expect(planMap(12, 12, 64, 0, 500, 452).cell).toBe(26);
  expect(planMap(12, 12, 250, 0, 500, 452).bins).toBeLessThanOrEqual(26);
});

describe.each([[358], [480], [560], [620]])('at %i px', (width) => {
  test.each([
    [4, 8],
    [12, 12],
    [2, 4],
  ])('%i x %i: labels neither overprint nor are cut, cells stay inside', (blocks, heads) => {
    for (const lighting of lightings) {
      for (const state of ['shown', 'pending', 'absent'] as const) {
        const data: MapData = {
          cells: Array.from({ length: blocks }, () =>
            Array.from({ length: heads }, () =>
              cell({ state, ...(state === 'shown' ? { picture: picture(20), measure: 0.5, effect: 0.44 } : {}) }),
            ),
          ),
          tokens: 54,
          focus: { block: blocks - 1, head: heads - 1 },
          lighting,
          next: '·internationalization',
        };
        const drawing = drawMap(data, view(width));
        expect(overprints(drawing)).toEqual([]);
        expect(cutLabels(drawing)).toEqual([]);
        for (const { mark } of drawing.thumbnails) expect(mark.x + mark.width).toBeLessThanOrEqual(width);
      }
    }
  });
});

test('under Node the map is a standalone SVG', () => {
  expect(svgText(drawMap(dumped(), view(500)), palettes.dark)).not.toMatch(/NaN|undefined|Infinity/);
});
