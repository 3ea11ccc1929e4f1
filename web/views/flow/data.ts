// What the flow's drawing is made from: plain numbers of the engine, handed in.
import type { HeadStatistics, ModelInfo, Picture, Region, Span, Token } from '../../engine/api';
import type { StageId } from '../../ui/state';
import type { FlowShape } from './stages';

export const flowShape = ({ config }: ModelInfo, tokens: number): FlowShape => ({
  tokens,
  width: config.embeddingLength,
  heads: config.headCount,
  headDim: config.headDim,
});

export interface FlowPart {
  readonly stage: StageId;
  /** What was asked for: the picture shows it whole, in bins. */
  readonly region: Region;
  readonly picture: Picture;
}

/** All weights of one query on all keys, exact. */
export interface QueryRow {
  readonly row: number;
  readonly weights: Float32Array;
}

export interface FlowData {
  readonly model: ModelInfo;
  readonly tokens: readonly Token[];
  readonly block: number;
  readonly head: number;
  readonly shape: FlowShape;
  /** The tokens that are rows: all, or the window of a long prompt. */
  readonly rows: Span;
  readonly parts: ReadonlyMap<StageId, FlowPart>;
  /** The weights of the lit token's query. */
  readonly query: QueryRow;
}

export interface HeadThumbnail {
  readonly statistics: HeadStatistics;
  readonly picture: Picture;
}

/** The exact element ranges of one bin of a part. */
export function binSpans(part: FlowPart, row: number, column: number): { rows: Span; columns: Span } {
  const { region, picture } = part;
  const [height, width] = picture.binSize;
  const span = (first: number, size: number, end: number): Span => [first, Math.min(end, first + size)];
  return {
    rows: span(region.rows[0] + row * height, height, region.rows[1]),
    columns: span(region.columns[0] + column * width, width, region.columns[1]),
  };
}

export function binValue(part: FlowPart, row: number, column: number): number {
  return part.picture.data[row * part.picture.shape[1] + column] ?? Number.NaN;
}

/** A part's axis lengths of the logical tensor, in the node's own order. */
export function logicalShape(axes: readonly string[], shape: FlowShape): number[] {
  const lengths: Readonly<Record<string, number>> = {
    T: shape.tokens,
    keys: shape.tokens,
    D: shape.width,
    '3D': 3 * shape.width,
    H: shape.heads,
    D_h: shape.headDim,
  };
  return axes.map((axis) => lengths[axis] ?? 0);
}
