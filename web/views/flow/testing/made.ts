// For tests of the drawing's geometry: a figure's data of any shape and length, with numbers like those of real models.
import type { Picture, Span } from '../../../engine/api';
import { stageIds } from '../../../ui/state';
import type { FlowData, FlowPart } from '../data';
import type { Layout } from '../layout';
import { type FlowShape, nodeName, stageColumns, stageSpec } from '../stages';
import { model, promptOf, tokensOf } from './dumps';

/** As the engine pools, of numbers that a formula gives: large ones in a few columns, as in real residual streams. */
function picture(stage: FlowPart['stage'], rows: Span, columns: Span, height: number, width: number): Picture {
  const lengths = [rows[1] - rows[0], columns[1] - columns[0]] as const;
  const binSize = [Math.ceil(lengths[0] / height), Math.ceil(lengths[1] / width)] as const;
  const shape = [Math.ceil(lengths[0] / binSize[0]), Math.ceil(lengths[1] / binSize[1])] as const;
  const keys = stageSpec(stage).columns === 'key';
  const data = Float32Array.from({ length: shape[0] * shape[1] }, (_, bin) => {
    const row = rows[0] + Math.floor(bin / shape[1]) * binSize[0];
    const column = (bin % shape[1]) * binSize[1];
    if (stage === 'p') return column > row + binSize[0] - 1 ? 0 : 1 / (row + 1);
    if (stage === 'masked' && column > row + binSize[0] - 1) return Number.NEGATIVE_INFINITY;
    return (keys ? -20 : 3) * Math.sin(row * 1.7 + column * 0.9) * (!keys && bin % shape[1] === 1 ? 400 : 1);
  });
  const finite = data.filter(Number.isFinite);
  const sizes = finite.map(Math.abs).sort();
  return {
    shape,
    data,
    binSize,
    minimum: finite.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    maximum: finite.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
    quantile99: stage === 'p' || keys ? (sizes.at(-1) ?? 1) : 3,
  };
}

export function madeData(
  shape: FlowShape,
  rows: Span,
  row: number,
  block: number,
  head: number,
  plan: Layout,
): FlowData {
  const boxes = plan.lines.flatMap((line) => line.boxes);
  const parts = stageIds.map((stage): [typeof stage, FlowPart] => {
    const box = boxes.find(({ id }) => id === stage);
    const region = { node: nodeName(stage, block), head, rows, columns: stageColumns(stage, shape) };
    return [stage, { stage, region, picture: picture(stage, rows, region.columns, box?.rows ?? 1, box?.columns ?? 1) }];
  });
  const weights = Float32Array.from({ length: shape.tokens }, (_, key) => (key > row ? 0 : 1 / (row + 1)));
  const tokens = tokensOf(promptOf(shape.tokens));
  return { model, tokens, block, head, shape, rows, parts: new Map(parts), query: { row, weights } };
}
