// GPT-2's forward pass in float64 on dequantized weights: slow and plain, for a short prompt.
import { SHAPE } from './plan.mjs';

const { blocks, width, heads, headWidth, epsilon } = SHAPE;

/** { streams: [block][position], attention: [block][head][query][key], logits of the last position }. */
export function forward(file, tokens) {
  const embedding = file.values('token_embd.weight');
  const positions = file.values('position_embd.weight');
  let stream = tokens.map((token, t) =>
    Float64Array.from({ length: width }, (_, d) => embedding[token * width + d] + positions[t * width + d]),
  );
  const streams = [stream];
  const attention = [];
  for (let block = 0; block < blocks; block++) {
    const weight = (name) => file.values(`blk.${block}.${name}`);
    const qkv = layer(norm(stream, weight, 'attn_norm'), weight, 'attn_qkv');
    const { output, probabilities } = attend(qkv);
    stream = add(stream, layer(output, weight, 'attn_output'));
    const hidden = layer(norm(stream, weight, 'ffn_norm'), weight, 'ffn_up').map((row) => row.map(gelu));
    stream = add(stream, layer(hidden, weight, 'ffn_down'));
    streams.push(stream);
    attention.push(probabilities);
  }
  const last = norm([stream.at(-1)], (name) => file.values(name), 'output_norm');
  return { streams, attention, logits: product(last, embedding)[0] };
}

function norm(rows, weight, name) {
  const [scale, shift] = [weight(`${name}.weight`), weight(`${name}.bias`)];
  return rows.map((row) => {
    const mean = row.reduce((sum, x) => sum + x, 0) / width;
    const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / width;
    return row.map((x, d) => ((x - mean) / Math.sqrt(variance + epsilon)) * scale[d] + shift[d]);
  });
}

function layer(rows, weight, name) {
  const bias = weight(`${name}.bias`);
  return product(rows, weight(`${name}.weight`)).map((row) => row.map((x, i) => x + bias[i]));
}

function product(rows, matrix) {
  return rows.map((row) => {
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
  const probabilities = [];
  for (let head = 0; head < heads; head++) {
    const first = head * headWidth;
    probabilities.push(
      qkv.map((row, t) => {
        const scores = Array.from({ length: t + 1 }, (_, s) => {
          let sum = 0;
          for (let i = first; i < first + headWidth; i++) sum += row[i] * qkv[s][width + i];
          return sum / Math.sqrt(headWidth);
        });
        const weights = softmax(scores);
        for (const [s, p] of weights.entries()) {
          for (let i = first; i < first + headWidth; i++) output[t][i] += p * qkv[s][2 * width + i];
        }
        return weights;
      }),
    );
  }
  return { output, probabilities };
}

export function softmax(scores) {
  const largest = scores.reduce((a, b) => Math.max(a, b));
  const powers = Array.from(scores, (score) => Math.exp(score - largest));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}
