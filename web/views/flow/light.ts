// The light that falls on a selection: a token's row through both bands, a cell, and the cell's operands.
import type { Line } from '../../engine/explanation';
import type { Palette } from '../../ui/colour/palette';
import { type Mark, rectPath } from '../../ui/marks/marks';
import type { CellPlace, StageId } from '../../ui/state';
import type { FlowData } from './data';
import type { FlowDrawing } from './drawing';
import type { Layout, StageBox } from './layout';
import { binsOfLine } from './places';
import type { FlowShape } from './stages';

type Boxes = ReadonlyMap<StageId, StageBox>;

/** In bins of the pictures, not in elements. */
export interface Light {
  /** The lit row, or -1. */
  readonly row: number;
  readonly cell: CellPlace | null;
  /** The operands of an explained number; null where the figure itself says what a cell is computed from. */
  readonly lines: readonly Line[] | null;
}

const outline = (path: string, palette: Palette, width = 1.5): Mark[] => [
  { kind: 'path', path, stroke: palette.paper, width: width + 2, opacity: 0.9 },
  { kind: 'path', path, stroke: palette.light, width },
];

function rowBand(box: StageBox, row: number): string {
  const height = box.height / box.rows;
  return rectPath({ x: box.x, y: box.y + row * height, width: box.width, height });
}

function columnBand(box: StageBox, column: number): string {
  const width = box.width / box.columns;
  return rectPath({ x: box.x + column * width, y: box.y, width: Math.max(width, 2), height: box.height });
}

function cellOutline(box: StageBox, row: number, column: number): string {
  const [width, height] = [box.width / box.columns, box.height / box.rows];
  const grow = Math.max(0, 5 - width) / 2;
  return rectPath({ x: box.x + column * width - grow, y: box.y + row * height, width: width + 2 * grow, height });
}

/** One beam along a token's row through every tensor of every line. */
function beam(layout: Layout, row: number, palette: Palette): Mark[] {
  let lines = '';
  let area = '';
  for (const { rowsTop, boxes } of layout.lines) {
    const y = rowsTop + row * layout.rowHeight;
    const x = layout.labelRight + 6;
    const last = boxes.at(-1);
    const width = (last ? last.x + last.width + last.deck : layout.width) - x;
    const box = { x, y, width, height: layout.rowHeight };
    area += rectPath(box);
    lines += `M${box.x} ${y}h${box.width}M${box.x} ${y + box.height}h${box.width}`;
  }
  return [
    { kind: 'path', path: area, fill: palette.light, opacity: 0.045 },
    { kind: 'path', path: lines, stroke: palette.light, width: 1, opacity: 0.6 },
  ];
}

interface Operand {
  readonly stage: StageId;
  readonly row?: number;
  readonly column?: number;
}

/** Which rows and columns of which stages a cell is computed from; bins stand for the elements in them. */
export function operandsOf(cell: CellPlace, boxes: Boxes, shape: FlowShape, head: number): Operand[] {
  const { stage, row, column } = cell;
  const here = boxes.get(stage);
  const scaled = (to: StageId): number => {
    const there = boxes.get(to);
    return here && there ? Math.min(there.columns - 1, Math.floor(((column + 0.5) * there.columns) / here.columns)) : 0;
  };
  const query = boxes.get('z');
  /** A key's bin among the rows, where all tokens are rows. */
  const keyRow = query && here && here.columns === query.rows ? { row: column } : {};
  switch (stage) {
    case 'q':
    case 'k':
    case 'v':
      return [{ stage: 'z', row }];
    case 'qh':
    case 'kh':
    case 'vh': {
      const third = ({ qh: 'q', kh: 'k', vh: 'v' } as const)[stage];
      return [{ stage: third, row, column: headColumn(boxes, third, cell, shape, head) }];
    }
    case 'raw':
      return [
        { stage: 'qh', row },
        { stage: 'kh', ...keyRow },
      ];
    case 'scaled':
      return [{ stage: 'raw', row, column }];
    case 'masked':
      return [{ stage: 'scaled', row, column }];
    case 'p':
      return [{ stage: 'masked', row }];
    case 'o':
      return [
        { stage: 'p', row },
        { stage: 'vh', column },
      ];
    case 'a':
      return [{ stage: 'cat', row }];
    case 'r':
      return [
        { stage: 'a', row, column: scaled('a') },
        { stage: 'x', row, column: scaled('x') },
      ];
    default:
      return [];
  }
}

/** The column of a tensor with all heads that holds a column of one head's strip. */
function headColumn(boxes: Boxes, whole: StageId, cell: CellPlace, shape: FlowShape, head: number): number {
  const [strip, all] = [boxes.get(cell.stage), boxes.get(whole)];
  if (!strip || !all) return 0;
  return Math.floor(((head + (cell.column + 0.5) / strip.columns) * all.columns) / shape.heads);
}

/** Of one operand: a cell, a row or a column. */
function operandPath(box: StageBox, { row, column }: Operand): string {
  if (row !== undefined && column !== undefined) return cellOutline(box, row, column);
  if (row !== undefined) return rowBand(box, row);
  return column === undefined ? '' : columnBand(box, column);
}

/** What an explained number was computed from, wherever the figure draws it. */
function lineMarks(lines: readonly Line[], boxes: Boxes, data: FlowData, palette: Palette): Mark[] {
  let path = '';
  for (const [id, box] of boxes) {
    const part = data.parts.get(id);
    for (const line of part ? lines : []) {
      const bins = part && binsOfLine(part, line);
      if (!bins) continue;
      const [width, height] = [box.width / box.columns, box.height / box.rows];
      const [left, top] = [box.x + bins.columns[0] * width, box.y + bins.rows[0] * height];
      const across = (bins.columns[1] - bins.columns[0]) * width;
      const grow = Math.max(0, 5 - across) / 2;
      const down = (bins.rows[1] - bins.rows[0]) * height;
      path += rectPath({ x: left - grow, y: top, width: across + 2 * grow, height: down });
    }
  }
  return path ? [{ kind: 'path', path, fill: palette.light, opacity: 0.1 }, ...outline(path, palette, 1)] : [];
}

export function lightMarks(drawing: FlowDrawing, light: Light, data: FlowData, palette: Palette): Mark[] {
  const { layout } = drawing;
  const boxes: Boxes = new Map(drawing.tensors.map((box) => [box.id, box]));
  const marks: Mark[] = [];
  if (light.row >= 0 && light.row < layout.rowBins) marks.push(...beam(layout, light.row, palette));
  const { cell, lines } = light;
  if (lines) marks.push(...lineMarks(lines, boxes, data, palette));
  const here = cell ? boxes.get(cell.stage) : undefined;
  if (!cell || !here) return marks;
  for (const operand of lines ? [] : operandsOf(cell, boxes, data.shape, data.head)) {
    const box = boxes.get(operand.stage);
    const path = box ? operandPath(box, operand) : '';
    if (path) marks.push({ kind: 'path', path, fill: palette.light, opacity: 0.1 }, ...outline(path, palette, 1));
  }
  marks.push(...outline(cellOutline(here, cell.row, cell.column), palette, 2));
  return marks;
}
