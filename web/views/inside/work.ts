// How much the engine has to compute: what takes long is done only when it is asked for.
import type { LogEntry, ModelInfo, Stage } from '../../engine/api';

/** More multiply-accumulates than this take a second or more. */
export const MOST_WORK = 4e9;

const product = (lengths: readonly number[]): number => lengths.reduce((a, b) => a * b, 1);

/** Multiply-accumulates behind reading a node whole: scores, weights and logits are computed when they are read. */
export function readingWork({ name, shape }: LogEntry, { config }: ModelInfo): number {
  const elements = product(shape);
  if (name === 'result_output') return elements * config.embeddingLength;
  return /^kq(_soft_max)?-/.test(name) ? elements * config.headDim : elements;
}

/** Multiply-accumulates of a forward pass up to a stage, about. */
export function runningWork(goal: Stage, tokens: number, { config }: ModelInfo): number {
  const { embeddingLength: width, feedForwardLength: hidden, blockCount } = config;
  if (goal.kind === 'embed') return 0;
  const blocks = goal.kind === 'logits' ? blockCount : goal.block + 1;
  return blocks * tokens * width * (4 * width + 2 * hidden + tokens);
}
