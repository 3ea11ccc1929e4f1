// What an address asks for in vain: fields that make no sense, and places that this model and this prompt do not have.
import type { ModelInfo } from '../engine/api';
import { fittingPath } from '../figure/path';
import { unreadFields, type ViewState } from '../ui/state';
import type { Words } from '../ui/words/words';
import { flowShape } from '../views/flow/data';
import { stageColumns } from '../views/flow/stages';

export interface Corrected {
  readonly state: ViewState;
  /** What was corrected, in sentences. */
  readonly said: readonly string[];
}

/** `tokens`: how many the prompt has, at least one. */
export function corrected(state: ViewState, info: ModelInfo, tokens: number, { address }: Words): Corrected {
  const { blockCount: blocks, headCount: heads } = info.config;
  const said: string[] = [];
  let right = state;
  if (state.block >= blocks) {
    said.push(address.block(state.block, blocks));
    right = { ...right, block: blocks - 1 };
  }
  if (state.head >= heads) {
    said.push(address.head(state.head, heads));
    right = { ...right, head: heads - 1 };
  }
  if (state.row !== null && state.row >= tokens) {
    said.push(address.row(state.row, tokens));
    right = { ...right, row: null };
  }
  const lacking = state.off.filter(({ block, head }) => block >= blocks || head >= heads);
  if (lacking.length > 0) {
    said.push(address.off(lacking.map(({ block, head }) => `${block}.${head}`).join(', ')));
    right = { ...right, off: state.off.filter((place) => !lacking.includes(place)) };
  }
  const { cell } = state;
  const [first, last] = cell ? stageColumns(cell.stage, flowShape(info, tokens)) : [0, 0];
  const noCell = cell !== null && (cell.row >= tokens || cell.column >= last - first);
  const noPath = right.path.length > 0 && fittingPath(right, info, tokens).length === 0;
  if (noCell || noPath) {
    said.push(address.cell);
    right = { ...right, cell: noCell ? null : cell, path: [] };
  }
  return { state: right, said };
}

/** Fields of a fragment that make no sense, in sentences. */
export const unread = (fragment: string, { address }: Words): readonly string[] =>
  unreadFields(fragment).map(([name, value]) => address.unread(name, value));
