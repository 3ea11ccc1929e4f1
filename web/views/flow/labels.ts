// Token labels at the left of every line, and key labels on top of the weights.
import type { Palette } from '../../ui/colour/palette';
import { type Scale, wantsPaperText } from '../../ui/colour/scale';
import type { Mark } from '../../ui/marks/marks';
import { shortened, tokenText } from '../../ui/tokens';
import type { FlowData, FlowPart } from './data';
import { boxOf, type Layout, type Line } from './layout';

/** Lines of text need this much room. */
const TEXT_STEP = 15;
const SLANTED_STEP = 19;

const binLabel = (data: FlowData, first: number, size: number, length: number): string => {
  const token = data.tokens[first];
  const text = token ? shortened(tokenText(token), length) : '';
  return size === 1 ? text : `${first}–${Math.min(first + size, data.tokens.length) - 1}`;
};

/** The label of a row of bins. */
export const rowLabel = (data: FlowData, row: number): string => {
  const size = data.parts.get('z')?.picture.binSize[0] ?? 1;
  return binLabel(data, data.rows[0] + row * size, size, 10);
};

function rowLabelMark(line: Line, layout: Layout, data: FlowData, row: number, palette: Palette, lit: boolean): Mark {
  return {
    kind: 'text',
    x: layout.labelRight,
    y: line.rowsTop + (row + 0.5) * layout.rowHeight + 4.5,
    runs: [{ text: rowLabel(data, row), ...(lit ? { weight: 650 } : {}) }],
    size: layout.rowHeight >= 20 ? 14.5 : 12.5,
    face: 'sans',
    colour: lit ? palette.ink : palette.inkSoft,
    anchor: 'end',
  };
}

/** Every label, or every second, third ... where rows are lower than text. */
export function tokenLabels(line: Line, layout: Layout, data: FlowData, palette: Palette, lit: number): Mark[] {
  const stride = Math.ceil(TEXT_STEP / layout.rowHeight);
  const marks: Mark[] = [];
  for (let row = 0; row < layout.rowBins; row += stride) {
    if (stride > 1 && lit >= 0 && Math.abs(row - lit) < stride) continue;
    if (row !== lit) marks.push(rowLabelMark(line, layout, data, row, palette, false));
  }
  if (lit >= 0 && lit < layout.rowBins) marks.push(rowLabelMark(line, layout, data, lit, palette, true));
  return marks;
}

/** Key labels, slanted so that each begins over its column. */
export function keyLabels(layout: Layout, data: FlowData, palette: Palette): Mark[] {
  const box = boxOf(layout, 'p');
  const part = data.parts.get('p');
  if (!box || !part) return [];
  const columns = part.picture.shape[1];
  const size = part.picture.binSize[1];
  const step = box.width / columns;
  const stride = Math.ceil(SLANTED_STEP / step);
  const marks: Mark[] = [];
  for (let column = 0; column < columns; column += stride) {
    const x = box.x + (column + 0.5) * step + 3;
    marks.push({
      kind: 'text',
      x,
      y: box.y - 7,
      runs: [{ text: binLabel(data, column * size, size, 8) }],
      size: 12.5,
      face: 'sans',
      colour: palette.inkSoft,
      turn: -48,
    });
  }
  return marks;
}

/** The weights of a row of single queries: the selected query's are exact, another's are in the picture. */
function rowWeights(data: FlowData, part: FlowPart, row: number): { query: number; weights: Float32Array } {
  const query = data.rows[0] + row;
  if (query === data.query.row) return { query, weights: data.query.weights };
  const columns = part.picture.shape[1];
  return { query, weights: part.picture.data.subarray(row * columns, (row + 1) * columns) };
}

/** The lit query's weights, written into its cells where they have room for two decimals. */
export function weightLabels(layout: Layout, data: FlowData, scale: Scale, palette: Palette, lit: number): Mark[] {
  const box = boxOf(layout, 'p');
  const part = data.parts.get('p');
  if (!box || !part || lit < 0) return [];
  const columns = part.picture.shape[1];
  const step = box.width / columns;
  if (step < 21 || part.picture.binSize[0] * part.picture.binSize[1] > 1) return [];
  const { query, weights } = rowWeights(data, part, lit);
  return Array.from({ length: Math.min(columns, query + 1) }, (_, column): Mark => {
    const weight = weights[column] ?? 0;
    return {
      kind: 'text',
      x: box.x + (column + 0.5) * step,
      y: box.y + (lit + 0.5) * layout.rowHeight + 4.5,
      runs: [{ text: weight.toFixed(2).replace(/^0/, '') }],
      size: 12,
      face: 'sans',
      colour: wantsPaperText(weight, scale) ? palette.paper : weight < 0.005 ? palette.inkFaint : palette.ink,
      anchor: 'middle',
    };
  });
}
