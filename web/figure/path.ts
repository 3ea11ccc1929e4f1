// Whether what is explained is what is selected: an explanation path that is not yields to the selected cell, nonsense to nothing.
import type { AxisName, ModelInfo } from '../engine/api';
import { axisLength } from '../engine/axes';
import { type Cell, cellText, parseCell } from '../engine/explanation';
import type { CellPlace, FigureState } from '../ui/state';
import type { FlowData } from '../views/flow/data';
import { cellOfPlace, cellsOfBin, placeOfCell } from '../views/flow/places';
import { toBins } from '../views/flow/reading';

const FILE_TENSOR =
  /^(blk\.\d+\.(attn_(norm|qkv|output)|ffn_(norm|up|down))|token_embd|position_embd|output|output_norm)\.(weight|bias)$/;

function exists({ name, indices }: Cell, info: ModelInfo, tokens: number): boolean {
  const { config, nodes } = info;
  if (FILE_TENSOR.test(name)) return true;
  const node = nodes.find((one) => {
    const [stem, rest] = [`${one.name}-`, name.slice(one.name.length + 1)];
    if (!one.perBlock) return name === one.name;
    const block = rest.slice(0, rest.length - one.suffix.length);
    return name.startsWith(stem) && rest === `${Number(block)}${one.suffix}` && Number(block) < config.blockCount;
  });
  /** One head's contribution to the product with W_O has the node's name, too. */
  const ofHead = node?.name === 'attn_out_mm' && indices.length === 3;
  const axes: readonly AxisName[] = ofHead ? ['H', ...node.axes] : (node?.axes ?? []);
  if (axes.length !== indices.length) return false;
  return axes.every((axis, index) => (indices[index] ?? 0) < axisLength(axis, info, tokens));
}

/** The path after a change: without a selected cell to follow, it ends with its block or head. */
export function pathAfter(before: FigureState, part: Partial<FigureState>): readonly string[] {
  if (part.path) return part.path;
  if (part.cell === null) return [];
  const { block, head, cell } = { ...before, ...part };
  return cell || (block === before.block && head === before.head) ? before.path : [];
}

/** The state's path if it leads to its selected cell's tensor, else that cell of the selected block and head. */
export function fittingPath(state: FigureState, info: ModelInfo, tokens: number): readonly string[] {
  const { path, cell } = state;
  const cells = path.map(parseCell);
  const last = cells.at(-1);
  if (!last) return path;
  const { blockCount, headCount: heads, headDim, embeddingLength: width } = info.config;
  const [block, head] = [Math.min(state.block, blockCount - 1), Math.min(state.head, heads - 1)];
  const shape = { tokens, width, heads, headDim };
  if (!cells.every((one) => one !== null && exists(one, info, tokens))) return [];
  if (!cell) return path;
  const place = placeOfCell(last, block, shape);
  const fits = place?.block === block && (place.head ?? head) === head && place.cell.stage === cell.stage;
  if (fits) return path;
  const own = cellOfPlace(cell, block, head, shape);
  return exists(own, info, tokens) ? [cellText(own)] : [];
}

/** Whether a cell is among those that the selected place's bin shows, where the figure draws the place. */
export function inBin(data: FlowData, place: CellPlace, text: string): boolean {
  if (!toBins(data, place)) return true;
  const [row = -1, column = -1] = parseCell(text)?.indices.slice(-2) ?? [];
  return cellsOfBin(data, place).some(
    ({ rows, columns }) => rows?.[0] === row && column >= columns[0] && column < columns[1],
  );
}
