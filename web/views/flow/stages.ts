// The stages of the flow: for each its node, symbol, logical axes, role and which part of the node it shows.
import type { AxisName, Span } from '../../engine/api';
import type { Role } from '../../ui/colour/palette';
import { type Maths, mi, mn, mo, mtext, row, sub, sup } from '../../ui/marks/math';
import type { StageId } from '../../ui/state';

export interface FlowShape {
  readonly tokens: number;
  readonly width: number;
  readonly heads: number;
  readonly headDim: number;
}

export interface StageSpec {
  readonly id: StageId;
  readonly role: Role;
  /** The node's name without its block. */
  readonly node: string;
  readonly axes: readonly AxisName[];
  readonly columns: 'feature' | 'key';
  /** Whether the node has one tensor per head. */
  readonly perHead: boolean;
}

const spec = (
  id: StageId,
  role: Role,
  node: string,
  axes: readonly AxisName[],
  columns: StageSpec['columns'] = 'feature',
): StageSpec => ({ id, role, node, axes, columns, perHead: axes[0] === 'H' });

const specs: readonly StageSpec[] = [
  spec('z', 'residual', 'attn_norm', ['T', 'D']),
  spec('q', 'query', 'wqkv_b', ['T', '3D']),
  spec('k', 'key', 'wqkv_b', ['T', '3D']),
  spec('v', 'value', 'wqkv_b', ['T', '3D']),
  spec('qh', 'query', 'Qcur', ['H', 'T', 'D_h']),
  spec('kh', 'key', 'Kcur', ['H', 'T', 'D_h']),
  spec('vh', 'value', 'Vcur', ['H', 'T', 'D_h']),
  spec('raw', 'probability', 'kq', ['H', 'T', 'keys'], 'key'),
  spec('scaled', 'probability', 'kq_scaled', ['H', 'T', 'keys'], 'key'),
  spec('masked', 'probability', 'kq_masked', ['H', 'T', 'keys'], 'key'),
  spec('p', 'probability', 'kq_soft_max', ['H', 'T', 'keys'], 'key'),
  spec('o', 'value', 'kqv', ['H', 'T', 'D_h']),
  spec('cat', 'value', 'kqv_out', ['T', 'D']),
  spec('a', 'residual', 'attn_out', ['T', 'D']),
  spec('x', 'residual', 'inpL', ['T', 'D']),
  spec('r', 'residual', 'ffn_inp', ['T', 'D']),
];

const byId = new Map(specs.map((stage) => [stage.id, stage]));

export function stageSpec(id: StageId): StageSpec {
  const found = byId.get(id);
  if (!found) throw new Error(`stageSpec: no stage ${id}`);
  return found;
}

/** The full node name; a block's input is the block before's output. */
export function nodeName(id: StageId, block: number): string {
  if (id === 'x') return block === 0 ? 'inpL' : `l_out-${block - 1}`;
  return `${stageSpec(id).node}-${block}`;
}

/** The columns of the node that the stage shows: a third of the fused result, or all. */
export function stageColumns(id: StageId, shape: FlowShape): Span {
  const third = id === 'q' ? 0 : id === 'k' ? 1 : id === 'v' ? 2 : null;
  if (third !== null) return [third * shape.width, (third + 1) * shape.width];
  const spec = stageSpec(id);
  if (spec.columns === 'key') return [0, shape.tokens];
  return [0, spec.perHead ? shape.headDim : shape.width];
}

/** A head's name in subscripts: its block and its number, so that Q of head 2 in block 3 is not taken for block 2's. */
export const headIndex = (block: number, head: number): Maths => mn(`${block}.${head}`);

/** One symbol per stage, with the block's or the head's name as subscript. */
export function stageSymbol(id: StageId, block: number, head: number): Maths {
  const l = mn(block);
  const h = headIndex(block, head);
  const symbols: Record<StageId, Maths> = {
    z: sub(mi('Z'), l),
    q: mi('Q'),
    k: mi('K'),
    v: mi('V'),
    qh: sub(mi('Q'), h),
    kh: sub(mi('K'), h),
    vh: sub(mi('V'), h),
    raw: sub(row(mi('Q'), sup(mi('K'), mo('⊤'))), h),
    scaled: sub(mi('S'), h),
    masked: row(sub(mi('S'), h), mo('+'), mi('M')),
    p: sub(mi('P'), h),
    o: sub(mi('O'), h),
    cat: sub(mi('O'), mtext('cat')),
    a: sub(mi('A'), l),
    x: sub(mi('X'), l),
    r: sub(mi('R'), l),
  };
  return symbols[id];
}
