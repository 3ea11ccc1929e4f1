// Where the large square stands and how many bins it has: known before any number is there.
import type { Box } from '../../ui/marks/marks';

export interface WeightsPlan {
  readonly width: number;
  readonly box: Box;
  readonly rows: number;
  readonly columns: number;
  readonly cell: readonly [width: number, height: number];
  /** Where token labels end. */
  readonly labelRight: number;
  /** Degrees by which key labels are turned. */
  readonly turn: number;
  readonly narrow: boolean;
}

/** Bins are at least this wide. */
const LEAST_CELL = 4;
const MOST_CELL = 210;
/** The square may be so much larger than asked for, so that its cells are whole pixels. */
const SLACK = 1.12;
/** Room above the square for slanted key labels, and right of it for what they reach beyond. */
const HEADROOM = { wide: 66, narrow: 78 } as const;
const OVERHANG = { wide: 56, narrow: 18 } as const;

const binCount = (count: number, most: number): number =>
  count <= most ? count : Math.ceil(count / Math.ceil(count / most));

/** Whole pixels, near the size that is asked for and never beyond the room. */
function cellSize(bins: number, side: number, room: number): number {
  const larger = Math.ceil(side / bins);
  const cell = larger * bins <= Math.min(room, side * SLACK) ? larger : Math.floor(Math.min(side, room) / bins);
  return Math.max(1, Math.min(MOST_CELL, cell));
}

/** `side`: how large the square is to be, where `width` has room for that. */
export function planWeights(tokens: number, rowCount: number, width: number, side: number): WeightsPlan {
  const narrow = width < 420;
  const labelRight = narrow ? 46 : 76;
  const left = labelRight + (narrow ? 6 : 8);
  const room = width - left - (narrow ? OVERHANG.narrow : OVERHANG.wide);
  const wanted = Math.min(side, room);
  const most = Math.max(1, Math.floor(wanted / LEAST_CELL));
  const [rows, columns] = [binCount(rowCount, most), binCount(tokens, most)];
  const across = cellSize(columns, wanted, room);
  const down = rows === columns ? across : cellSize(rows, wanted, room);
  const box = { x: left, y: narrow ? HEADROOM.narrow : HEADROOM.wide, width: across * columns, height: down * rows };
  return { width, box, rows, columns, cell: [across, down], labelRight, turn: narrow ? -76 : -48, narrow };
}
