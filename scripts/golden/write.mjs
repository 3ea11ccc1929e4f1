// Writes known numbers of the shaped model, in the form of cpp/analysis/checks/published/gpt2-small.json, from a float64
// forward pass that shares nothing with the engine: build/testdata/gpt2-small-shaped.golden.json with activations as
// they are, .golden-rounded.json with activations rounded to Q8_0 before each product, as ggml and the engine do.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decode, encode } from 'gpt-tokenizer/encoding/r50k_base';
import { forward } from '../shaped-model/forward.mjs';
import { GgufFile } from '../shaped-model/gguf-file.mjs';
import { SHAPE } from '../shaped-model/plan.mjs';
import { PATH, writeShapedModel } from '../shaped-model/write.mjs';

const { width, headWidth } = SHAPE;
const FIRST = 3;
const STEPS = 3;

/**
 * How far the engine may be away. Scores and values are of block 0: rounded alike, float32 sums are all that is left;
 * else there is what rounding the activations does. After twelve blocks a code that a sum has tipped counts: a change of
 * the input by 2e-7 moves log probabilities of the rounded pass by up to 0.1 (docs/numbers.md).
 */
const TOLERANCES = {
  rounded: { values: 1e-5, scores: 1e-4, logprobs: 0.2 },
  exact: { values: 5e-3, scores: 0.15, logprobs: 0.4 },
};

const ends = (row) => [...row.slice(0, FIRST), '...', ...row.slice(-FIRST)];
const padded = (rows) => rows.map((row) => [...row, ...Array(rows.length - row.length).fill(0)]);

function logProbabilities(logits) {
  const largest = logits.reduce((a, b) => Math.max(a, b));
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - largest), 0);
  return logits.map((logit) => logit - largest - Math.log(sum));
}

function likeliest(logits, count) {
  const best = Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a] || a - b);
  const logprobs = logProbabilities(logits);
  return best.slice(0, count).map((id) => ({ id, token: decode([id]), logprob: logprobs[id] }));
}

const softmaxOf = (run, head) => ({ [`softmax head ${head}`]: padded(run.attention[0][head]) });

function firstPrompt(run, greedy) {
  return {
    embd: run.embeddings.map(ends),
    pos_embd: run.positions.map(ends),
    inpL: run.streams[0].map(ends),
    'block 0': {
      'kq head 0': run.scores[0][0],
      ...softmaxOf(run, 0),
      ...softmaxOf(run, 1),
      [`V head 0, first ${FIRST}`]: run.qkv[0].map((row) => [...row.slice(2 * width, 2 * width + FIRST)]),
      [`O head 0 query 1, first ${FIRST}`]: [...run.outputs[0][1].slice(0, FIRST)],
      [`O head 11 query 1, first ${FIRST}`]: [...run.outputs[0][1].slice(11 * headWidth, 11 * headWidth + FIRST)],
    },
    'next token': likeliest(run.logits, 3),
    [`greedy ${STEPS} tokens`]: greedy,
  };
}

function golden(file, rounded) {
  const pass = (tokens) => forward(file, tokens, { rounded });
  const tokens = encode('How are');
  const run = pass(tokens);
  const continued = [...tokens];
  for (let step = 0; step < STEPS; step++) {
    const { logits } = step === 0 ? run : pass(continued);
    continued.push(likeliest(logits, 1)[0].id);
  }
  const texts = ['How are', 'How are you doing?', 'unbelievable!', 'How\nare', '你好'];
  return {
    what: `The model of GPT-2 small's shape, by a float64 forward pass, activations ${rounded ? 'rounded to Q8_0' : 'as they are'}`,
    tolerances: rounded ? TOLERANCES.rounded : TOLERANCES.exact,
    tokenize: Object.fromEntries(texts.map((text) => [text, encode(text)])),
    'prompt How are': firstPrompt(run, decode(continued)),
    'prompt How are you': { 'block 0': softmaxOf(pass(encode('How are you')), 0) },
  };
}

export const goldenPath = (rounded) => PATH.replace('.Q8_0.gguf', rounded ? '.golden-rounded.json' : '.golden.json');

/** Writes both files, unless they are newer than the model and this script. */
export function writeGolden() {
  writeShapedModel();
  const sources = [PATH, fileURLToPath(import.meta.url)];
  const newest = Math.max(...sources.map((path) => statSync(path).mtimeMs));
  const current = (path) => existsSync(path) && statSync(path).mtimeMs > newest;
  if ([true, false].every((rounded) => current(goldenPath(rounded)))) return;
  const file = new GgufFile(PATH);
  for (const rounded of [true, false]) {
    writeFileSync(goldenPath(rounded), `${JSON.stringify(golden(file, rounded), null, 1)}\n`);
  }
  file.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeGolden();
