// The tensors of the flow as marks: cells, gutters between cells, edges, decks of other heads, marks of clipped columns.
import type { Palette } from '../../ui/colour/palette';
import type { Scale } from '../../ui/colour/scale';
import { type Box, type CellsMark, type Mark, rectPath } from '../../ui/marks/marks';
import type { FlowData, FlowPart } from './data';
import { DECK_GAP, type StageBox } from './layout';
import { stageSpec } from './stages';

const cellsMark = (box: Box, part: FlowPart, scale: Scale): CellsMark => ({
  kind: 'cells',
  x: box.x,
  y: box.y,
  width: box.width,
  height: box.height,
  rows: part.picture.shape[0],
  columns: part.picture.shape[1],
  values: part.picture.data,
  scale,
  label: part.region.node,
});

/** Lines of paper between rows, and between columns where cells are large enough to be counted. */
function gutters(box: Box, rows: number, columns: number, palette: Palette): Mark[] {
  const [cellWidth, cellHeight] = [box.width / columns, box.height / rows];
  let path = '';
  if (cellHeight >= 12) {
    for (let row = 1; row < rows; row++) path += `M${box.x} ${box.y + row * cellHeight}h${box.width}`;
  }
  if (cellWidth >= 7) {
    for (let column = 1; column < columns; column++) path += `M${box.x + column * cellWidth} ${box.y}v${box.height}`;
  }
  return path ? [{ kind: 'path', path, stroke: palette.paper, width: 1 }] : [];
}

/** Whether a whole bin lies above the diagonal: no key of it is visible to any query of it. */
export function isMasked(part: FlowPart, row: number, column: number): boolean {
  const { region, picture } = part;
  const lastQuery = Math.min(region.rows[1], region.rows[0] + (row + 1) * picture.binSize[0]) - 1;
  return region.columns[0] + column * picture.binSize[1] > lastQuery;
}

/** The square's edge, and the staircase where the visible keys of each query end. */
function edges(box: Box, part: FlowPart, palette: Palette): Mark[] {
  const [rows, columns] = part.picture.shape;
  const [cellWidth, cellHeight] = [box.width / columns, box.height / rows];
  let path = '';
  let last = -1;
  for (let row = 0; row < rows; row++) {
    let end = 0;
    while (end < columns && !isMasked(part, row, end)) end++;
    const x = box.x + end * cellWidth;
    path += last < 0 ? `M${x} ${box.y + row * cellHeight}` : `H${x}`;
    path += `v${cellHeight}`;
    last = end;
  }
  return [
    { kind: 'path', path: rectPath(box), stroke: palette.hatch, width: 1 },
    { kind: 'path', path, stroke: palette.inkFaint, width: 1 },
  ];
}

/** Cells beyond the scale carry a tick; columns that are wholly beyond it a notch above the tensor. */
function clippedMarks(box: Box, part: FlowPart, scale: Scale, palette: Palette): Mark[] {
  if (!scale.clipped) return [];
  const [rows, columns] = part.picture.shape;
  const [cellWidth, cellHeight] = [box.width / columns, box.height / rows];
  const tick = Math.min(3, cellHeight / 4);
  let ticks = '';
  let notches = '';
  for (let column = 0; column < columns; column++) {
    let beyond = 0;
    const x = box.x + (column + 0.5) * cellWidth;
    for (let row = 0; row < rows; row++) {
      const value = Math.abs(part.picture.data[row * columns + column] ?? 0);
      if (!Number.isFinite(value) || value <= scale.limit) continue;
      beyond++;
      ticks += `M${x} ${box.y + (row + 0.5) * cellHeight - tick / 2}v${tick}`;
    }
    if (beyond === rows) notches += `M${x} ${box.y - 2}l-3.5 -5h7z`;
  }
  const marks: Mark[] = [];
  if (ticks)
    marks.push({ kind: 'path', path: ticks, stroke: palette.paper, width: Math.min(2, Math.max(1, cellWidth)) });
  if (notches) marks.push({ kind: 'path', path: notches, fill: palette.inkSoft });
  return marks;
}

/**
 * The other heads behind a focused head's strip, seen from the side like a deck of cards: each shows its last column of
 * cells. The values are those of the fused result (or of the concatenation) that the figure shows anyway.
 */
function deck(box: StageBox, data: FlowData, scale: Scale, palette: Palette): Mark[] {
  const source = data.parts.get(({ qh: 'q', kh: 'k', vh: 'v', o: 'cat' } as const)[box.id as 'qh'] ?? 'cat');
  if (!source || box.deck === 0) return [];
  const { heads } = data.shape;
  const [rows, columns] = source.picture.shape;
  const step = (box.deck - DECK_GAP) / (heads - 1);
  const others = Array.from({ length: heads }, (_, head) => head).filter((head) => head !== data.head);
  const cards = others.flatMap((head, index): Mark[] => {
    const column = Math.min(columns, Math.round(((head + 1) * columns) / heads)) - 1;
    const values = Float32Array.from({ length: rows }, (_, row) => source.picture.data[row * columns + column] ?? 0);
    const card = { x: box.x + box.width + DECK_GAP + index * step, y: box.y, width: step - 0.5, height: box.height };
    const marks: Mark[] = [
      { kind: 'cells', ...card, rows, columns: 1, values, scale, label: `${source.region.node} head ${head}` },
    ];
    return [...marks, ...gutters(card, rows, 1, palette)];
  });
  const veil = rectPath({ x: box.x + box.width + DECK_GAP, y: box.y, width: box.deck - DECK_GAP, height: box.height });
  return [...cards, { kind: 'path', path: veil, fill: palette.paper, opacity: 0.4 }];
}

/** Borders between heads in a tensor that holds all of them side by side. */
function headBorders(box: Box, data: FlowData, palette: Palette): Mark[] {
  const step = box.width / data.shape.heads;
  let path = '';
  for (let head = 1; head < data.shape.heads; head++) path += `M${box.x + head * step} ${box.y}v${box.height}`;
  return [{ kind: 'path', path, stroke: palette.paper, width: step > 20 ? 2 : 1 }];
}

export function tensorMarks(box: StageBox, part: FlowPart, scale: Scale, data: FlowData, palette: Palette): Mark[] {
  const [rows, columns] = part.picture.shape;
  const marks: Mark[] = [...deck(box, data, scale, palette), cellsMark(box, part, scale)];
  marks.push(...gutters(box, rows, columns, palette));
  if (stageSpec(box.id).columns === 'key') marks.push(...edges(box, part, palette));
  if (box.id === 'cat') marks.push(...headBorders(box, data, palette));
  marks.push(...clippedMarks(box, part, scale, palette));
  return marks;
}
