// The shape table: every node of a block with its logical and its ggml shape, in the groups in which llama.cpp builds them.
import type { AxisName, ModelInfo, NodeInfo } from '../../engine/api';
import { axisLength } from '../../engine/axes';
import { type ShapeGroupId, shapeGroups, type ViewPlace } from '../../ui/words/inside';

export interface ShapeRow {
  readonly info: NodeInfo;
  /** With the block: "wqkv_b-0". */
  readonly node: string;
  /** "[T, 3D]" */
  readonly axes: string;
  /** "[9, 2304]" */
  readonly shape: string;
  /** "{2304, 9}" */
  readonly ggml: string;
  readonly view: ViewPlace | null;
}

export interface ShapeGroup {
  readonly id: ShapeGroupId;
  readonly rows: readonly ShapeRow[];
}

const FLOAT = 4;

/** A node's own name, apart from its block. */
export const nodeKey = ({ name, suffix }: NodeInfo): string => name + suffix;

const groupOfNode: Readonly<Record<string, ShapeGroupId>> = {
  norm: 'norm',
  norm_w: 'norm',
  attn_norm: 'norm',
  wqkv: 'qkv',
  wqkv_b: 'qkv',
  Qcur: 'split',
  Kcur: 'split',
  Vcur: 'split',
  kq: 'attention',
  kq_scaled: 'attention',
  kq_masked: 'attention',
  kq_soft_max: 'attention',
  kqv: 'head',
  kqv_out: 'concat',
  attn_contrib: 'projection',
  attn_out_mm: 'projection',
  attn_out: 'projection',
  ffn_inp: 'residual',
  l_out: 'output',
};

function groupOf(info: NodeInfo): ShapeGroupId {
  if (info.stage === 'embed') return 'embeddings';
  if (info.stage === 'logits') return 'logits';
  return groupOfNode[nodeKey(info)] ?? 'mlp';
}

/** The MLP's width is 4D where it is. */
function axisText(axis: AxisName, { config }: ModelInfo): string {
  if (axis === 'keys') return 'T';
  if (axis !== 'F') return axis;
  const { embeddingLength, feedForwardLength } = config;
  return feedForwardLength === 4 * embeddingLength ? '4D' : String(feedForwardLength);
}

function viewOf({ view }: NodeInfo, { config }: ModelInfo, block: number): ViewPlace | null {
  if (!view) return null;
  const elements = view.offsetInWidths * config.embeddingLength;
  const strides = [FLOAT, FLOAT * config.headDim, FLOAT * 3 * config.embeddingLength];
  return { base: `${view.base}-${block}`, elements, bytes: FLOAT * elements, strides };
}

export function shapeTable(model: ModelInfo, tokens: number, block: number): ShapeGroup[] {
  const rows = model.nodes.map((info): ShapeRow => {
    const lengths = (axes: readonly AxisName[]) => axes.map((axis) => axisLength(axis, model, tokens)).join(', ');
    return {
      info,
      node: info.perBlock ? `${info.name}-${block}${info.suffix}` : info.name,
      axes: `[${info.axes.map((axis) => axisText(axis, model)).join(', ')}]`,
      shape: `[${lengths(info.axes)}]`,
      ggml: `{${lengths(info.ggmlAxes)}}`,
      view: viewOf(info, model, block),
    };
  });
  return shapeGroups.map((id) => ({ id, rows: rows.filter(({ info }) => groupOf(info) === id) }));
}
