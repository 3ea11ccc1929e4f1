// The tensors of one block, in reading order.
import { NOISE, shapeHead } from './heads.mjs';
import { Noise } from './noise.mjs';
import { layerNorm } from './norms.mjs';
import {
  attentionSize,
  DIMENSIONS,
  feedForwardSize,
  HEAD_KINDS,
  NORMED,
  OUTLIERS,
  outlierGrowth,
  SHAPE,
  START_FACTOR,
  streamSizes,
} from './plan.mjs';
import { floats, matrix } from './tensors.mjs';

const BIAS = 0.1;
const VALUE_NOISE = 0.06;
const UP_NOISE = 0.22;
const UP_BIAS = -1.2;
const FAINT_COLUMN = 0.1; // How much less weights read the start and the outliers.

// From the deviation of what a product reads to that of what it writes: measured, see README.md.
const OUTPUT_GAIN = 6;
const DOWN_GAIN = 13;

// Hidden units that fire at position 0 alone and make the outliers larger there.
const START_UNITS = [385, 1103, 1877, 2650];
const START_UNIT = { weight: 8, bias: -4, noise: 0.05 };

export function blockTensors(block) {
  const prefix = `blk.${block}`;
  return [
    ...layerNorm(`${prefix}.attn_norm`, streamSizes(block)),
    ...attention(block, `${prefix}.attn_qkv`),
    ...attentionOutput(block, `${prefix}.attn_output`),
    ...layerNorm(`${prefix}.ffn_norm`, streamSizes(block, { afterAttention: true })),
    ...feedForwardUp(`${prefix}.ffn_up`),
    ...feedForwardDown(block, `${prefix}.ffn_down`),
  ];
}

function attention(block, name) {
  const { width, heads, headWidth } = SHAPE;
  const lazy = makeOnce(() => {
    const bias = new Noise(`${name}.bias`).vector(3 * width, BIAS);
    const rows = [];
    for (let head = 0; head < heads; head++) {
      const kind = HEAD_KINDS[block][head];
      const noise = new Noise(`${name}.${head}`);
      const noiseRows = (deviation) => Array.from({ length: headWidth }, () => quietRow(noise, deviation));
      const first = head * headWidth;
      const parts = { query: noiseRows(NOISE[kind]), key: noiseRows(NOISE[kind]), value: noiseRows(VALUE_NOISE) };
      shapeHead(kind, { ...parts, queryBias: bias.subarray(first, first + headWidth) }, noise);
      for (let i = 0; i < headWidth; i++) {
        rows[first + i] = parts.query[i];
        rows[width + first + i] = parts.key[i];
        rows[2 * width + first + i] = parts.value[i];
      }
    }
    return { rows, bias };
  });
  return [
    matrix(`${name}.weight`, width, 3 * width, () => (row, i) => row.set(lazy().rows[i])),
    floats(`${name}.bias`, [3 * width], () => lazy().bias),
  ];
}

function attentionOutput(block, name) {
  const factors = outputFactors();
  return [
    matrix(`${name}.weight`, SHAPE.width, SHAPE.width, () => {
      const noise = new Noise(`${name}.weight`);
      return (row, i) => noise.fill(row, (factors[i] * attentionSize(block)) / OUTPUT_GAIN);
    }),
    floats(`${name}.bias`, [SHAPE.width], () => outputBias(`${name}.bias`, attentionSize(block))),
  ];
}

function feedForwardUp(name) {
  return [
    matrix(`${name}.weight`, SHAPE.width, SHAPE.hidden, () => {
      const noise = new Noise(`${name}.weight`);
      return (row, i) => {
        const detectsStart = START_UNITS.includes(i);
        row.set(quietRow(noise, detectsStart ? START_UNIT.noise : UP_NOISE));
        if (detectsStart) row[DIMENSIONS.start] = START_UNIT.weight;
      };
    }),
    floats(`${name}.bias`, [SHAPE.hidden], () => {
      const values = new Noise(`${name}.bias`).vector(SHAPE.hidden, BIAS);
      for (const [i, value] of values.entries())
        values[i] = START_UNITS.includes(i) ? START_UNIT.bias : UP_BIAS + value;
      return values;
    }),
  ];
}

function feedForwardDown(block, name) {
  const factors = outputFactors();
  const shareOf = new Map(OUTLIERS.map(({ dimension, share }) => [dimension, share]));
  const fires = START_UNIT.weight * NORMED.start + START_UNIT.bias;
  const extra = ((START_FACTOR - 1) * outlierGrowth(block)) / (fires * START_UNITS.length);
  return [
    matrix(`${name}.weight`, SHAPE.hidden, SHAPE.width, () => {
      const noise = new Noise(`${name}.weight`);
      return (row, i) => {
        noise.fill(row, (factors[i] * feedForwardSize(block)) / DOWN_GAIN);
        for (const unit of START_UNITS) row[unit] = (shareOf.get(i) ?? 0) * extra;
      };
    }),
    floats(`${name}.bias`, [SHAPE.width], () => {
      const values = outputBias(`${name}.bias`, feedForwardSize(block));
      for (const [dimension, share] of shareOf) values[dimension] += share * outlierGrowth(block);
      return values;
    }),
  ];
}

/** Noise that hardly reads the dimensions that layer norm leaves large. */
function quietRow(noise, deviation) {
  const row = noise.vector(SHAPE.width, deviation);
  for (const dimension of [DIMENSIONS.start, ...DIMENSIONS.outliers]) row[dimension] *= FAINT_COLUMN;
  return row;
}

/** How much a block writes to each dimension: hardly to those that later blocks rely on. */
function outputFactors() {
  const factors = new Float32Array(SHAPE.width).fill(1);
  const kept = [...DIMENSIONS.pairs.flatMap(({ cos, sin }) => [cos, sin]), ...DIMENSIONS.identity];
  for (const dimension of kept) factors[dimension] = 0.05;
  for (const dimension of [DIMENSIONS.start, DIMENSIONS.frequency]) factors[dimension] = 0.05;
  for (const dimension of DIMENSIONS.outliers) factors[dimension] = 2;
  return factors;
}

function outputBias(name, size) {
  const values = new Noise(name).vector(SHAPE.width, size / 4);
  const factors = outputFactors();
  return values.map((value, i) => value * factors[i]);
}

function makeOnce(make) {
  let made;
  return () => {
    made ??= make();
    return made;
  };
}
