// The flow's drawing: every cell is the tensor's number, at every width; and the same marks make an SVG without a DOM.
import { describe, expect, test } from 'vitest';
import { palettes } from '../../ui/colour/palette';
import type { CellsMark, TextMark } from '../../ui/marks/marks';
import { svgText } from '../../ui/marks/svg';
import { stageIds } from '../../ui/state';
import { en } from '../../ui/words/en';
import { drawFlow, drawnTensors, type FlowView, planFlow, rowMarks } from './drawing';
import { flowScales } from './scales';
import { catData, dump, element, shape } from './testing/dumps';
import { madeData } from './testing/made';

const view = (width: number): FlowView => ({
  width,
  palette: palettes.light,
  words: en,
  names: false,
  withoutFirstKey: false,
  fitWeights: false,
  aside: 0,
});

function drawn(width: number, block = 0, head = 2) {
  const data = catData(block, head, planFlow(shape, shape.tokens, view(width)));
  return { data, drawing: drawFlow(data, view(width)) };
}

describe.each([[1376], [720], [358]])('at %i px', (width) => {
  test.each([
    [0, 2],
    [1, 3],
  ])('block %i, head %i: every drawn number is the tensor’s', (block, head) => {
    const { data, drawing } = drawn(width, block, head);
    const tensors = drawnTensors(drawing, data);
    expect(tensors.map(({ stage }) => stage).sort()).toEqual([...stageIds].sort());
    for (const { node, rows, columns, shape: bins, binSize, values } of tensors) {
      const tensor = dump(node);
      const largest = Array.from(values, (_, bin) => {
        const row = rows[0] + Math.floor(bin / bins[1]);
        const first = columns[0] + (bin % bins[1]) * binSize[1];
        const inBin = Array.from({ length: Math.min(binSize[1], columns[1] - first) }, (_, offset) =>
          element(tensor, head, row, first + offset),
        );
        return inBin.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most));
      });
      expect(Array.from(values), node).toEqual(largest);
    }
  });

  test('tensors of a line share their rows; nothing overlaps or reaches beyond the side', () => {
    const { drawing } = drawn(width);
    for (const line of drawing.layout.lines) {
      line.boxes.forEach((box, index) => {
        expect([box.y, box.height]).toEqual([line.rowsTop, line.rowsBottom - line.rowsTop]);
        expect(box.x + box.width + box.deck).toBeLessThanOrEqual(line.boxes[index + 1]?.x ?? width);
      });
    }
  });
});

test('the deck behind a strip shows the other heads’ real columns', () => {
  const { drawing } = drawn(1376, 0, 2);
  const fused = dump('wqkv_b-0');
  const cards = drawing.marks.filter((mark): mark is CellsMark => mark.kind === 'cells' && mark.label.includes('head'));
  const [first] = cards.filter(({ label }) => label === 'wqkv_b-0 head 0');
  expect(cards.length).toBe(4 * (shape.heads - 1));
  expect(Array.from(first?.values ?? [])).toEqual(
    Array.from({ length: shape.tokens }, (_, row) => element(fused, 0, row, 15)),
  );
});

test('a legend prints the scale and the data’s least and greatest value', () => {
  const { data, drawing } = drawn(1376);
  const said = drawing.marks.flatMap((mark) => (mark.kind === 'text' ? mark.runs.map(({ text }) => text) : []));
  const scale = flowScales(data, { withoutFirstKey: false, fitWeights: false }).get('raw');
  expect(said).toContain(`±${scale?.limit.toPrecision(3)}`);
  expect(said).toContain('0 to 1.00');
});

test('compared tensors share a scale; the softmax ends at 1', () => {
  const { data } = drawn(1376);
  const scales = flowScales(data, { withoutFirstKey: false, fitWeights: false });
  expect(scales.get('a')).toBe(scales.get('r'));
  expect(scales.get('p')).toMatchObject({ kind: 'sequential', limit: 1, clipped: false });
  expect(flowScales(data, { withoutFirstKey: true, fitWeights: false }).get('p')?.limit).toBeLessThan(1);
});

test('one dimension 500 times the others: the scale ends at the 0.99 quantile and says so', () => {
  const { data } = drawn(1376);
  const part = data.parts.get('x');
  if (!part) throw new Error('no x');
  const picture = { ...part.picture, maximum: 500 * part.picture.quantile99 };
  const parts = new Map(data.parts).set('x', { ...part, picture });
  const scale = flowScales({ ...data, parts }, { withoutFirstKey: false, fitWeights: false }).get('x');
  expect(scale?.clipped).toBe(true);
  expect(scale?.limit).toBeLessThan(picture.maximum / 100);
});

test('the sentence tells the lit query’s real weights', () => {
  const { data, drawing } = drawn(1376);
  const serif = drawing.marks.filter((mark): mark is TextMark => mark.kind === 'text' && mark.face === 'serif');
  const said = serif.map(({ runs }) => runs.map(({ text }) => text).join('')).join(' ');
  const largest = Math.max(...data.query.weights);
  expect(said).toContain(`with ${largest.toFixed(2)}`);
});

test('another row lit: its own weights are written, and its label takes the place of its neighbours', () => {
  const nine = { ...shape, tokens: 9 };
  const data = madeData(nine, [0, 9], 8, 1, 3, planFlow(nine, 9, view(1376)));
  const drawing = drawFlow(data, view(1376));
  const texts = rowMarks(drawing, data, 4, palettes.light).flatMap((mark) => (mark.kind === 'text' ? [mark] : []));
  const digits = texts.filter(({ anchor }) => anchor === 'middle').map(({ runs }) => runs[0]?.text);
  const weights = data.parts.get('p')?.picture.data.subarray(4 * 9, 4 * 9 + 5) ?? [];
  expect(digits).toEqual(Array.from(weights, (weight) => weight.toFixed(2).replace(/^0/, '')));
  const bold = texts.filter(({ runs }) => runs[0]?.weight === 650);
  expect(bold.map(({ runs }) => runs[0]?.text)).toEqual(drawing.layout.lines.map(() => '·Moon'));
});

test('under Node the drawing is a standalone SVG', () => {
  const { drawing } = drawn(1376);
  const svg = svgText(drawing, palettes.light);
  expect(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg"')).toBe(true);
  expect(svg.match(/<image /g)?.length).toBe(drawing.marks.filter(({ kind }) => /cells|ramp/.test(kind)).length);
  expect(svg).not.toMatch(/\sstyle=|NaN|undefined|Infinity/);
  const words = svg.replace(/<image[\s\S]*?(<\/image>|\/>)/g, '').match(/>[^<>\n]+(?=<)/g);
  expect(words?.map((word) => word.slice(1))).toMatchSnapshot();
});
