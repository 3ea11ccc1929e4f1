// The design: which dimensions of the residual stream carry what, and how large they are in each block. README.md tells
// why. Everything that a block's weights must be scaled by is derived here, from these sizes alone.
import { readFileSync } from 'node:fs';
import { Noise } from './noise.mjs';

export const SHAPE = { blocks: 12, width: 768, heads: 12, headWidth: 64, hidden: 3072, context: 1024, epsilon: 1e-5 };

/** The prompt, the heads' kinds and what a test may ask of them. */
export const EXPECTED = JSON.parse(readFileSync(new URL('expected.json', import.meta.url), 'utf8'));

/** [block][head]: "sink", "previous", "same", "local", "mixed" or "diffuse". */
export const HEAD_KINDS = EXPECTED.heads;

const PAIRS = SHAPE.headWidth / 2;
const IDENTITY_DIMENSIONS = 96;

/** The outliers, and how their sizes compare. */
export const OUTLIERS = [
  { dimension: 447, share: 1 },
  { dimension: 138, share: -0.7 },
];

function layOut() {
  const noise = new Noise('dimensions');
  const outliers = OUTLIERS.map(({ dimension }) => dimension);
  const free = noise.permutation(SHAPE.width).filter((dimension) => !outliers.includes(dimension));
  const take = (count) => free.splice(0, count);
  const pairs = Array.from({ length: PAIRS }, (_, i) => {
    const [cos, sin] = take(2);
    return { cos, sin, step: Math.PI * ((i + noise.uniform()) / PAIRS) ** 1.3 };
  });
  const [start] = take(1);
  const [frequency] = take(1);
  return { outliers, pairs, start, frequency, identity: take(IDENTITY_DIMENSIONS), mixture: free };
}

/**
 * pairs: the position, as cosine and sine of step * position; start: large at position 0 alone; identity: which token
 * it is, kept through all blocks; frequency: how common the token is; mixture: the rest, which all blocks write to.
 */
export const DIMENSIONS = layOut();

/** Sizes in the residual stream: amplitude of the waves, deviation of token features, value at the start. */
export const SIZES = { wave: 0.5, identity: 0.4, mixture: 0.1, start: 8, outlier: 1 };

/** What the layer norms before attention and feed-forward make of them. */
export const NORMED = { wave: 0.25, identity: 0.25, mixture: 0.15, start: 2, outlier: 0.4 };

/** What the last one makes of them. Identity is turned around: a token is a little less likely to follow itself. */
export const LAST_NORMED = { wave: 0.05, identity: -0.25, mixture: 1.15, start: 0.05, outlier: 0.1, frequency: 5 };

/** Of the outliers' size: at position 0, compared with the other positions. */
export const START_FACTOR = 2.5;

/** By how much block l's attention and feed-forward deviate in a mixture dimension. */
export const attentionSize = (block) => 0.06 + 0.012 * block;
export const feedForwardSize = (block) => 0.1 + 0.02 * block;

/** What block l adds to the first outlier. */
export const outlierGrowth = (block) => [40, 70, 70][block] ?? 9;

/** The stream's sizes before block l (or after the last), and before its feed-forward. */
export function streamSizes(block, { afterAttention = false } = {}) {
  let outlier = SIZES.outlier;
  let square = SIZES.mixture ** 2;
  for (let l = 0; l < block; l++) {
    outlier += outlierGrowth(l);
    square += attentionSize(l) ** 2 + feedForwardSize(l) ** 2;
  }
  if (afterAttention) square += attentionSize(block) ** 2;
  return { mixture: Math.sqrt(square), outlier };
}

/** The standard deviation that layer norm divides by, at position 0 or elsewhere. */
export function normDivisor({ mixture, outlier }, { atStart = false } = {}) {
  const factor = atStart ? START_FACTOR : 1;
  let sum = 0;
  let squares = 0;
  for (const { share } of OUTLIERS) {
    sum += outlier * factor * share;
    squares += (outlier * factor * share) ** 2;
  }
  squares += DIMENSIONS.mixture.length * mixture ** 2;
  squares += DIMENSIONS.identity.length * SIZES.identity ** 2;
  squares += DIMENSIONS.pairs.length * SIZES.wave ** 2;
  if (atStart) {
    sum += SIZES.start;
    squares += SIZES.start ** 2;
  }
  return Math.sqrt(squares / SHAPE.width - (sum / SHAPE.width) ** 2);
}
