// From the view state to what the figure asks of the engine, and the layout that says in how many bins.
import type { Engine, Token } from '../engine/api';
import { palettes } from '../ui/colour/palette';
import type { FigureState } from '../ui/state';
import { type FlowData, flowShape } from '../views/flow/data';
import { planFlow } from '../views/flow/drawing';
import type { FlowElement, FlowOptions } from '../views/flow/element';
import { type Layout, MOST_ROWS } from '../views/flow/layout';
import { isFitted } from '../views/weights/data';
import type { FigureInput } from './input';
import type { FigureRequest } from './queries';
import type { RowsShown } from './toggles';

/** A block or a head that the model does not have becomes its last. */
export function figureRequest(
  { block, head, from, names, off, offBy }: FigureState,
  { info }: Engine,
  tokens: readonly Token[],
  row: number,
  flow: FlowElement,
): { request: FigureRequest; plan: Layout } {
  const { length } = tokens;
  const first = from === null || length <= MOST_ROWS ? 0 : Math.min(from, length - MOST_ROWS);
  const last = from === null ? length : Math.min(length, first + MOST_ROWS);
  const request: FigureRequest = {
    tokens,
    edits: off.map((place) => ({ ...place, by: offBy })),
    block: Math.min(block, info.config.blockCount - 1),
    head: Math.min(head, info.config.headCount - 1),
    row,
    rows: [first, last],
  };
  const view = { width: flow.clientWidth, names, aside: flow.aside };
  return { request, plan: planFlow(flowShape(info, length), last - first, view) };
}

/** How the flow is drawn; `operands`: where those of the explained number stand. */
export function flowOptions(input: FigureInput, tokens: number, operands: FlowOptions['operands']): FlowOptions {
  const { words, theme, state } = input;
  const { names, scale, cell } = state;
  const fitWeights = isFitted(scale, tokens);
  return { palette: palettes[theme], words, names, withoutFirstKey: false, fitWeights, cell, operands };
}

/** Which tokens are rows; null where every token has a row of its own anyway. */
export function rowsShown({ rows, tokens, parts }: FlowData): RowsShown | null {
  const size = parts.get('z')?.picture.binSize[0] ?? 1;
  return tokens.length > MOST_ROWS ? { first: rows[0], last: rows[1], tokens: tokens.length, size } : null;
}
