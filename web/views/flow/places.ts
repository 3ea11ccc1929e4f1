// From what the flow draws to cells of the engine's nodes, and back.
import type { Span } from '../../engine/api';
import { type Cell, cellAt, cellText, type Line } from '../../engine/explanation';
import { type CellPlace, stageIds } from '../../ui/state';
import { binSpans, type FlowData, type FlowPart } from './data';
import { type FlowShape, nodeName, stageColumns, stageSpec } from './stages';

/** The cell of a place in the figure of this block and head. */
export function cellOfPlace({ stage, row, column }: CellPlace, block: number, head: number, shape: FlowShape): Cell {
  const indices = [row, stageColumns(stage, shape)[0] + column];
  return { name: nodeName(stage, block), indices: stageSpec(stage).perHead ? [head, ...indices] : indices };
}

/** The cells behind the bin that shows a place, row by row. */
export function cellsOfBin(data: FlowData, place: CellPlace): Line[] {
  const part = data.parts.get(place.stage);
  if (!part) return [];
  const [height, width] = part.picture.binSize;
  const bin = [Math.floor((place.row - part.region.rows[0]) / height), Math.floor(place.column / width)] as const;
  const { rows, columns } = binSpans(part, ...bin);
  const heads: Span | null = stageSpec(place.stage).perHead ? [data.head, data.head + 1] : null;
  const lines: Line[] = [];
  for (let row = rows[0]; row < rows[1]; row++) {
    lines.push({ name: part.region.node, heads, rows: [row, row + 1], columns });
  }
  return lines;
}

/** The cell of largest magnitude among lines of one region, whose values these are: the one that a bin shows. */
export function largestCell(lines: readonly Line[], values: ArrayLike<number>): string | null {
  let best: { size: number; text: string } | null = null;
  let at = 0;
  for (const line of lines) {
    for (let i = 0; i < line.columns[1] - line.columns[0]; i++, at++) {
      const value = Math.abs(values[at] ?? 0);
      const size = value === Number.POSITIVE_INFINITY ? -1 : value;
      if (!best || size > best.size) best = { size, text: cellText(cellAt(line, i)) };
    }
  }
  return best?.text ?? null;
}

export interface FlowPlace {
  readonly block: number;
  /** Null where the node has no heads: any head's figure shows it. */
  readonly head: number | null;
  readonly cell: CellPlace;
}

/** Where the flow draws a cell; `block` is preferred where two blocks' figures do. Null for what it does not draw. */
export function placeOfCell(cell: Cell, block: number, shape: FlowShape): FlowPlace | null {
  const own = Number(/-(\d+)(?:#1)?$/.exec(cell.name)?.[1] ?? 0);
  for (const candidate of [block, own]) {
    for (const stage of stageIds) {
      const { perHead } = stageSpec(stage);
      if (nodeName(stage, candidate) !== cell.name || (cell.indices.length === 3) !== perHead) continue;
      const [row = 0, column = 0] = cell.indices.slice(-2);
      const [first, last] = stageColumns(stage, shape);
      if (column < first || column >= last) continue;
      const head = perHead ? (cell.indices[0] ?? 0) : null;
      return { block: candidate, head, cell: { stage, row, column: column - first } };
    }
  }
  return null;
}

/** The bins of a part that hold cells of a line: [first, last) of rows and columns; null where there are none. */
export function binsOfLine(part: FlowPart, line: Line): { rows: Span; columns: Span } | null {
  const { region, picture } = part;
  if (line.name !== region.node || line.rows === null) return null;
  if (line.heads && (region.head < line.heads[0] || region.head >= line.heads[1])) return null;
  const bins = (span: Span, shown: Span, size: number): Span => {
    const [first, last] = [Math.max(span[0], shown[0]), Math.min(span[1], shown[1])];
    return [Math.floor((first - shown[0]) / size), Math.ceil((last - shown[0]) / size)];
  };
  const rows = bins(line.rows, region.rows, picture.binSize[0]);
  const columns = bins(line.columns, region.columns, picture.binSize[1]);
  return rows[0] < rows[1] && columns[0] < columns[1] ? { rows, columns } : null;
}
