// Where the cells of the map stand, and how many bins their pictures get: known before any number is there.
import type { Box } from '../../ui/marks/marks';

export interface MapPlan {
  readonly width: number;
  /** Edge of a cell's picture. */
  readonly cell: number;
  /** Rows and columns of a picture, at most. */
  readonly bins: number;
  /** Blocks that are shown: all, or on a phone one. */
  readonly blocks: readonly number[];
  readonly heads: number;
  readonly perLine: number;
  readonly left: number;
  readonly top: number;
  /** Height of a line of cells with its bars and the gap below. */
  readonly step: number;
  readonly bottom: number;
}

const LARGEST = 60;
const SMALLEST = 20;
const GAP = 4;
/** Under each picture, for its bar. */
export const LANE = 6;
const HEADER = 20;
const LABELS = 52;
/** Below this width one block is shown, its heads in as many lines as they take. */
const NARROW = 400;
const LEAST_ON_PHONE = 40;

const binCount = (count: number, most: number): number =>
  count <= most ? count : Math.ceil(count / Math.ceil(count / most));

/** `height`: the most that the cells may take. */
export function planMap(
  blocks: number,
  heads: number,
  tokens: number,
  focused: number,
  width: number,
  height: number,
): MapPlan {
  const narrow = width < NARROW;
  const left = narrow ? 0 : LABELS;
  const top = HEADER;
  const shown = narrow ? [focused] : Array.from({ length: blocks }, (_, block) => block);
  const most = Math.max(1, Math.floor((width + GAP) / (LEAST_ON_PHONE + GAP)));
  const perLine = narrow ? Math.ceil(heads / Math.ceil(heads / most)) : heads;
  const byWidth = Math.floor((width - left + GAP) / perLine) - GAP;
  const byHeight = narrow ? LARGEST : Math.floor((height - top) / blocks) - GAP - LANE;
  const cell = Math.max(Math.min(SMALLEST, byWidth), Math.min(LARGEST, byWidth, byHeight));
  const step = cell + LANE + GAP;
  const lines = shown.length * Math.ceil(heads / perLine);
  const bins = binCount(Math.max(1, tokens), cell);
  return { width, cell, bins, blocks: shown, heads, perLine, left, top, step, bottom: top + lines * step };
}

/** The picture's place of one head; null where its block is not shown. */
export function cellBox(plan: MapPlan, block: number, head: number): Box | null {
  const at = plan.blocks.indexOf(block);
  if (at < 0) return null;
  const line = at * Math.ceil(plan.heads / plan.perLine) + Math.floor(head / plan.perLine);
  const x = plan.left + (head % plan.perLine) * (plan.cell + GAP);
  return { x, y: plan.top + line * plan.step, width: plan.cell, height: plan.cell };
}
