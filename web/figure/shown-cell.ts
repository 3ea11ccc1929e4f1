// Which element a drawn cell shows: in a bin, the one of largest magnitude.
import { cellAt, cellText } from '../engine/explanation';
import type { CellPlace } from '../ui/state';
import type { FlowData } from '../views/flow/data';
import { cellsOfBin, largestCell } from '../views/flow/places';
import type { FigureQueries } from './queries';

/** As the text that the engine explains; null where there is none. */
export async function shownCell(data: FlowData, queries: FigureQueries, cell: CellPlace): Promise<string | null> {
  const [line, ...others] = cellsOfBin(data, cell);
  if (!line) return null;
  const pooled = others.length > 0 || line.columns[1] - line.columns[0] > 1;
  if (!pooled) return cellText(cellAt(line, 0));
  const first = line.rows?.[0] ?? 0;
  const rows = [first, first + others.length + 1] as const;
  const region = { node: line.name, head: data.head, rows, columns: line.columns };
  const values = await queries.values(region).catch(() => null);
  return values && largestCell([line, ...others], values);
}
