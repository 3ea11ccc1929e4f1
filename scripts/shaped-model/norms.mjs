// Layer norms: their weights bring each group of dimensions to its designed size, whatever the outliers do to the
// divisor.
import { Noise } from './noise.mjs';
import { DIMENSIONS, NORMED, normDivisor, SHAPE, SIZES } from './plan.mjs';
import { floats } from './tensors.mjs';

const UNEVENNESS = 0.1;
const BIAS = 0.02;

/** `stream`: the sizes of what comes in; `normed`: what is to come out; `biases`: [dimension, value] to add. */
export function layerNorm(name, stream, normed = NORMED, biases = []) {
  return [
    floats(`${name}.weight`, [SHAPE.width], () => normWeights(`${name}.weight`, stream, normed)),
    floats(`${name}.bias`, [SHAPE.width], () => {
      const values = new Noise(`${name}.bias`).vector(SHAPE.width, BIAS);
      for (const [dimension, value] of biases) values[dimension] += value;
      return values;
    }),
  ];
}

function normWeights(name, stream, normed) {
  const divisor = normDivisor(stream);
  const weights = new Noise(name).vector(SHAPE.width, UNEVENNESS);
  const scale = (dimensions, weight) => {
    for (const dimension of dimensions) weights[dimension] = weight * (1 + weights[dimension]);
  };
  scale([...DIMENSIONS.mixture, DIMENSIONS.frequency], (normed.mixture * divisor) / stream.mixture);
  scale(DIMENSIONS.identity, (normed.identity * divisor) / SIZES.identity);
  scale(
    DIMENSIONS.pairs.flatMap(({ cos, sin }) => [cos, sin]),
    (normed.wave * divisor) / SIZES.wave,
  );
  scale([DIMENSIONS.start], (normed.start * normDivisor(stream, { atStart: true })) / SIZES.start);
  scale(DIMENSIONS.outliers, (normed.outlier * divisor) / stream.outlier);
  return weights;
}
