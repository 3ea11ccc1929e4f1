// Runs the shaped model on the prompt of expected.json, in float64, prints what it does and compares.
import { encode } from 'gpt-tokenizer/encoding/r50k_base';
import { forward, softmax } from './forward.mjs';
import { GgufFile } from './gguf-file.mjs';
import { EXPECTED, HEAD_KINDS } from './plan.mjs';
import { entropy, headStatistics, magnitudes } from './statistics.mjs';
import { PATH, writeShapedModel } from './write.mjs';

const FIRST_LARGE_STREAM = 2;
const failures = [];

const number = (value) => value.toFixed(3).padStart(8);

function compare(what, value, [least, most]) {
  if (!(value >= least && value <= most)) failures.push(`${what}: got ${value}, expected ${least} to ${most}`);
}

function checkStream(position, block) {
  const sizes = position.map(magnitudes);
  const ratios = sizes.map(({ largest, median }) => largest / median);
  const typical = sizes.reduce((sum, { median }) => sum + median, 0) / sizes.length;
  console.log(
    `${String(block).padStart(5)} ${number(typical)} ${number(ratios[0])} ${number(Math.max(...ratios.slice(1)))}`,
  );
  if (block < FIRST_LARGE_STREAM) return;
  for (const [t, ratio] of ratios.entries()) {
    if (t > 0) compare(`stream ${block}, position ${t}, largest/median`, ratio, EXPECTED.largestOverMedian.range);
  }
}

function checkHead(probabilities, tokens, block, head) {
  const kind = HEAD_KINDS[block][head];
  const statistics = headStatistics(probabilities, tokens);
  const { first, previous, same } = statistics;
  const values = [first, previous, same, statistics.entropy].map(number).join(' ');
  console.log(`${String(block).padStart(5)} ${String(head).padStart(4)} ${kind.padEnd(8)} ${values}`);
  for (const [name, range] of Object.entries(EXPECTED.kinds[kind])) {
    compare(`block ${block}, head ${head} (${kind}), ${name}`, statistics[name], range);
  }
}

function checkNextToken(logits) {
  const probabilities = softmax(logits);
  const largest = probabilities.reduce((a, b) => Math.max(a, b));
  console.log(`next token: entropy ${number(entropy(probabilities))}, largest ${number(largest)}`);
  compare('next token, entropy', entropy(probabilities), EXPECTED.nextToken.entropy);
  compare('next token, largest', largest, EXPECTED.nextToken.largest);
}

writeShapedModel();
const tokens = encode(EXPECTED.prompt);
const file = new GgufFile(PATH);
const { streams, attention, logits } = forward(file, tokens);
file.close();

console.log(
  'block   median  ratio 0    ratio (largest over median of the stream, at position 0 and the most elsewhere)',
);
streams.forEach(checkStream);
console.log('block head kind        first previous     same  entropy');
for (const [block, heads] of attention.entries()) {
  for (const [head, probabilities] of heads.entries()) checkHead(probabilities, tokens, block, head);
}
checkNextToken(logits);

for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
