// token_embd and position_embd.
import { Noise } from './noise.mjs';
import { DIMENSIONS, OUTLIERS, SHAPE, SIZES } from './plan.mjs';
import { floats, matrix } from './tensors.mjs';

const FAINT = 0.02; // Deviation where an embedding says nothing.

export const tokenEmbedding = (tokens) =>
  matrix('token_embd.weight', SHAPE.width, tokens.length, () => {
    const noise = new Noise('token_embd');
    const factors = columnFactors();
    return (row, id) => {
      noise.fill(row, 1);
      for (let i = 0; i < row.length; i++) row[i] *= factors[i];
      row[DIMENSIONS.frequency] = commonness(tokens, id);
    };
  });

function columnFactors() {
  const factors = new Float32Array(SHAPE.width).fill(FAINT);
  for (const dimension of DIMENSIONS.identity) factors[dimension] = SIZES.identity;
  for (const dimension of DIMENSIONS.mixture) factors[dimension] = SIZES.mixture;
  return factors;
}

/** From 1 for the most common tokens to -1 for the rarest. Tokens are in order of frequency, but for single bytes. */
function commonness(tokens, id) {
  const knee = 20;
  const rank = id >= 256 ? id - 256 : (commonBytes.get(tokens[id]) ?? 5000);
  return 1 - (2 * Math.log1p(rank / knee)) / Math.log1p(tokens.length / knee);
}

const commonBytes = new Map([...',.'].map((symbol) => [symbol, 0]));

export const positionEmbedding = () =>
  floats('position_embd.weight', [SHAPE.width, SHAPE.context], () => {
    const values = new Noise('position_embd').vector(SHAPE.width * SHAPE.context, FAINT);
    for (let position = 0; position < SHAPE.context; position++) {
      const row = values.subarray(position * SHAPE.width, (position + 1) * SHAPE.width);
      for (const { cos, sin, step } of DIMENSIONS.pairs) {
        row[cos] += SIZES.wave * Math.cos(step * position);
        row[sin] += SIZES.wave * Math.sin(step * position);
      }
      for (const { dimension, share } of OUTLIERS) row[dimension] += SIZES.outlier * share;
    }
    values[DIMENSIONS.start] += SIZES.start;
    return values;
  });
