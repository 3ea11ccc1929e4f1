// What makes a head look where it looks: its rows of W_Q and W_K, and its part of b_Q.
// A head's noise is there already; these functions add to it. README.md has the formulas.
import { DIMENSIONS, NORMED, SHAPE } from './plan.mjs';
import { randomDirection, randomRotation } from './vectors.mjs';

const SCORE_SCALE = Math.sqrt(SHAPE.headWidth);

/** The deviation of the noise in W_Q and W_K. */
export const NOISE = { sink: 0.08, previous: 0.06, same: 0.06, local: 0.08, mixed: 0.26, diffuse: 0.1 };

/** Adds a kind's structure to { query, key: rows of Float32Array, queryBias: Float32Array }. */
export function shapeHead(kind, head, noise) {
  if (kind === 'sink') addSink(head, noise, 7.5 + 4 * noise.uniform());
  if (kind === 'previous') addWaves(head, noise, { gain: 0.2 + 0.15 * noise.uniform(), delay: 1 });
  if (kind === 'local') addWaves(head, noise, { gain: 0.5 + 0.5 * noise.uniform(), delay: 0, fastest: 0.6 });
  if (kind === 'same') addIdentity(head, noise, 6 + 4 * noise.uniform());
}

/** b_Q and the start's key in one direction: every query's score on key 0 is about `score`. */
function addSink({ key, queryBias }, noise, score) {
  const direction = randomDirection(noise, SHAPE.headWidth);
  const biasLength = 5;
  const keyLength = (score * SCORE_SCALE) / (biasLength * NORMED.start);
  for (const [i, part] of direction.entries()) {
    queryBias[i] += biasLength * part;
    key[i][DIMENSIONS.start] += keyLength * part;
  }
}

/**
 * Queries and keys are the position's waves, the query's turned back by `delay` positions, so that the score between
 * positions t and s is gain * sum over pairs of cos(step * (t - delay - s)). A rotation spreads them over the head.
 * Waves that turn by more than `fastest` from one position to the next are left out.
 */
function addWaves({ query, key }, noise, { gain, delay, fastest = Number.POSITIVE_INFINITY }) {
  const rotation = randomRotation(noise, SHAPE.headWidth);
  const scale = Math.sqrt(gain * SCORE_SCALE) / NORMED.wave;
  for (const [i, row] of rotation.entries()) {
    for (const [p, { cos, sin, step }] of DIMENSIONS.pairs.entries()) {
      if (step > fastest) continue;
      const [a, b] = [scale * row[2 * p], scale * row[2 * p + 1]];
      const [c, s] = [Math.cos(step * delay), Math.sin(step * delay)];
      key[i][cos] += a;
      key[i][sin] += b;
      query[i][cos] += a * c - b * s;
      query[i][sin] += a * s + b * c;
    }
  }
}

/** Queries and keys are the same projection of the token's identity: the score of a token on itself is about `score`. */
function addIdentity({ query, key }, noise, score) {
  const scale = Math.sqrt(score / SCORE_SCALE) / NORMED.identity;
  for (let i = 0; i < SHAPE.headWidth; i++) {
    const projection = noise.vector(DIMENSIONS.identity.length, scale / Math.sqrt(DIMENSIONS.identity.length));
    for (const [j, dimension] of DIMENSIONS.identity.entries()) {
      query[i][dimension] += projection[j];
      key[i][dimension] += projection[j];
    }
  }
}
