// GPT-2's forward pass in float64 on dequantized weights: slow and plain, for a short prompt.
import { roundActivations } from '../lib/q8_0.mjs';
import { SHAPE } from './plan.mjs';

const { blocks, width, heads, headWidth, epsilon } = SHAPE;

/**
 * { embeddings and positions by position, streams: [block][position], qkv: [block][position],
 *   scores and attention: [block][head][query][key] (scores q k of all pairs), outputs: [block][position],
 *   logits of the last position }.
 * `rounded`: rows are rounded to Q8_0 before each product, as ggml rounds them.
 */
export function forward(file, tokens, { rounded = false } = {}) {
  const layer = (rows, weight, name) => {
    const bias = weight(`${name}.bias`);
    return product(rows, weight(`${name}.weight`), rounded).map((row) => row.map((x, i) => x + bias[i]));
  };
  const embedding = file.values('token_embd.weight');
  const positions = file.values('position_embd.weight');
  const row = (matrix, i) => Float64Array.from(matrix.subarray(i * width, (i + 1) * width));
  const inputs = {
    embeddings: tokens.map((token) => row(embedding, token)),
    positions: tokens.map((_, t) => row(positions, t)),
  };
  let stream = add(inputs.embeddings, inputs.positions);
  const result = { ...inputs, streams: [stream], qkv: [], scores: [], attention: [], outputs: [] };
  for (let block = 0; block < blocks; block++) {
    const weight = (name) => file.values(`blk.${block}.${name}`);
    const qkv = layer(norm(stream, weight, 'attn_norm'), weight, 'attn_qkv');
    const { output, scores, probabilities } = attend(qkv);
    stream = add(stream, layer(output, weight, 'attn_output'));
    const hidden = layer(norm(stream, weight, 'ffn_norm'), weight, 'ffn_up').map((row) => row.map(gelu));
    stream = add(stream, layer(hidden, weight, 'ffn_down'));
    result.streams.push(stream);
    result.qkv.push(qkv);
    result.scores.push(scores);
    result.attention.push(probabilities);
    result.outputs.push(output);
  }
  const last = norm([stream.at(-1)], (name) => file.values(name), 'output_norm');
  return { ...result, logits: product(last, embedding, rounded)[0] };
}

function norm(rows, weight, name) {
  const [scale, shift] = [weight(`${name}.weight`), weight(`${name}.bias`)];
  return rows.map((row) => {
    const mean = row.reduce((sum, x) => sum + x, 0) / width;
    const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / width;
    return row.map((x, d) => ((x - mean) / Math.sqrt(variance + epsilon)) * scale[d] + shift[d]);
  });
}

function product(rows, matrix, rounded) {
  const used = rounded ? rows.map(roundActivations) : rows;
  return used.map((row) => {
    const columns = row.length;
    return Float64Array.from({ length: matrix.length / columns }, (_, i) => {
      let sum = 0;
      for (let d = 0, m = i * columns; d < columns; d++, m++) sum += row[d] * matrix[m];
      return sum;
    });
  });
}

const add = (a, b) => a.map((row, t) => row.map((x, d) => x + b[t][d]));

const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

function attend(qkv) {
  const output = qkv.map(() => new Float64Array(width));
  const scores = [];
  const probabilities = [];
  for (let head = 0; head < heads; head++) {
    const first = head * headWidth;
    const products = qkv.map((row) =>
      qkv.map((other) => {
        let sum = 0;
        for (let i = first; i < first + headWidth; i++) sum += row[i] * other[width + i];
        return sum;
      }),
    );
    scores.push(products);
    probabilities.push(
      products.map((row, t) => {
        const weights = softmax(row.slice(0, t + 1).map((score) => score / Math.sqrt(headWidth)));
        for (const [s, p] of weights.entries()) {
          for (let i = first; i < first + headWidth; i++) output[t][i] += p * qkv[s][2 * width + i];
        }
        return weights;
      }),
    );
  }
  return { output, scores, probabilities };
}

export function softmax(scores) {
  const largest = scores.reduce((a, b) => Math.max(a, b));
  const powers = Array.from(scores, (score) => Math.exp(score - largest));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}
