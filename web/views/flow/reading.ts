// What can be said about one cell: its coordinates and its value, or the bin it stands for.
import type { Region } from '../../engine/api';
import { type Maths, plain } from '../../ui/marks/math';
import { decimal } from '../../ui/numbers';
import type { CellPlace } from '../../ui/state';
import { tokenText } from '../../ui/tokens';
import type { Words } from '../../ui/words/words';
import { binSpans, binValue, type FlowData } from './data';
import { stageColumns, stageSpec, stageSymbol } from './stages';
import { isMasked } from './tensors';

export interface CellReading {
  readonly symbol: Maths;
  /** "token 9 ·was", "key 1 ·cat" ... */
  readonly coordinates: readonly string[];
  readonly value: string;
  /** Says that the value stands for a bin, or that it is masked. */
  readonly note: string;
  /** The elements behind a pooled cell, to be asked for. */
  readonly bin: Region | null;
  /** One line for a screen reader. */
  readonly spoken: string;
}

const span = (first: number, last: number): string => (last - first === 1 ? `${first}` : `${first}–${last - 1}`);

/** `cell` counts in bins of the drawn picture. */
export function readCell(data: FlowData, cell: CellPlace, words: Words): CellReading | null {
  const part = data.parts.get(cell.stage);
  if (!part) return null;
  const spec = stageSpec(cell.stage);
  const { rows, columns } = binSpans(part, cell.row, cell.column);
  const name = (index: number): string => {
    const token = data.tokens[index];
    return token ? tokenText(token) : '';
  };
  const one = (first: number, last: number): string => (last - first === 1 ? ` ${name(first)}` : '');
  const coordinates = [`${words.readout.token} ${span(...rows)}${one(...rows)}`];
  if (spec.columns === 'key') coordinates.push(`${words.readout.key} ${span(...columns)}${one(...columns)}`);
  else {
    const [origin] = stageColumns(cell.stage, data.shape);
    const inHead = cell.stage === 'q' || cell.stage === 'k' || cell.stage === 'v' ? 0 : origin;
    const head = Math.floor((columns[0] - origin) / data.shape.headDim);
    if (['q', 'k', 'v', 'cat'].includes(cell.stage)) coordinates.push(`${words.readout.head} ${head}`);
    coordinates.push(`${words.readout.feature} ${span(columns[0] - inHead, columns[1] - inHead)}`);
  }
  if (spec.perHead) coordinates.unshift(`${words.readout.head} ${data.head}`);
  const raw = binValue(part, cell.row, cell.column);
  const size = (rows[1] - rows[0]) * (columns[1] - columns[0]);
  const masked = (cell.stage === 'masked' || cell.stage === 'p') && isMasked(part, cell.row, cell.column);
  const value = decimal(raw);
  const note = [size > 1 ? words.readout.largestOf(size) : '', masked ? words.readout.masked : '']
    .filter(Boolean)
    .join(', ');
  const symbol = stageSymbol(cell.stage, data.block, data.head);
  return {
    symbol,
    coordinates,
    value,
    note,
    bin: size > 1 ? { ...part.region, rows, columns } : null,
    spoken: [plain(symbol), ...coordinates, value, note].filter(Boolean).join(', '),
  };
}

/** From a cell of the tensor to the bin that shows it, and back to the first cell of a bin. */
export function toBins(data: FlowData, cell: CellPlace): CellPlace | null {
  const part = data.parts.get(cell.stage);
  if (!part) return null;
  const { region, picture } = part;
  const row = Math.floor((cell.row - region.rows[0]) / picture.binSize[0]);
  const column = Math.floor(cell.column / picture.binSize[1]);
  const inside = row >= 0 && row < picture.shape[0] && column < picture.shape[1];
  return inside ? { stage: cell.stage, row, column } : null;
}

/** Columns count from the start of what the stage shows. */
export function toCells(data: FlowData, bin: CellPlace): CellPlace {
  const part = data.parts.get(bin.stage);
  if (!part) return bin;
  const { rows } = binSpans(part, bin.row, bin.column);
  return { stage: bin.stage, row: rows[0], column: bin.column * part.picture.binSize[1] };
}
