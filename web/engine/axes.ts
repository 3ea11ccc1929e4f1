// How long the axes of a node's tensor are.
import type { AxisName, ModelInfo } from './api';

/** For a prompt of `tokens` tokens. */
export function axisLength(axis: AxisName, { config }: ModelInfo, tokens: number): number {
  const width = config.embeddingLength;
  const lengths: Readonly<Record<AxisName, number>> = {
    T: tokens,
    keys: tokens,
    D: width,
    '3D': 3 * width,
    F: config.feedForwardLength,
    H: config.headCount,
    D_h: config.headDim,
    V: config.vocabularySize,
    C: config.contextLength,
  };
  return lengths[axis];
}
