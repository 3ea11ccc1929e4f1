// The native command as a user calls it: what it prints, what it writes, how it fails.
//
//   npm run test:command        (after npm run build:cli)
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { readNpy } from '../../web/test/npy';
import { dumps, embedded, fails, headflow, mini, scratchFolder, succeeds } from './command';

const scratch = scratchFolder();

function relativeRms(a: Float32Array, b: Float32Array) {
  let difference = 0;
  let size = 0;
  a.forEach((value, i) => {
    const expected = b[i] ?? Number.NaN;
    difference += (value - expected) ** 2;
    size += expected ** 2;
  });
  return Math.sqrt(difference / size);
}

test('inspect --json has typed metadata and tensors in GGUF order', () => {
  const json = JSON.parse(succeeds('inspect', mini, '--json'));
  assert.deepEqual(json.metadata['gpt2.embedding_length'], { type: 'uint32', value: 64 });
  assert.equal(json.metadata['tokenizer.ggml.tokens'].value.length, 272);
  assert.deepEqual(json.tensors['blk.0.attn_qkv.weight'].shape, [64, 192]);
  assert.equal(json.tensors['blk.0.attn_qkv.weight'].type, 'Q8_0');
  assert.equal(json.tensors['token_embd.weight'].offset % 32, 0);
});

test('inspect lists every tensor', () => {
  const text = succeeds('inspect', mini);
  for (const name of ['token_embd.weight', 'blk.1.ffn_down.bias', 'output_norm.bias']) assert.ok(text.includes(name));
});

test('tokenize --merges: each pass merges what its rank says, and the last pieces are the tokens', () => {
  const text = "A dog's tail, 猫 and  12345\n\taaaaaa";
  const metadata = JSON.parse(succeeds('inspect', embedded, '--json')).metadata;
  const merges: readonly string[] = metadata['tokenizer.ggml.merges'].value;
  const symbols: readonly string[] = metadata['tokenizer.ggml.tokens'].value;
  const words = JSON.parse(succeeds('tokenize', embedded, text, '--merges', '--json'));
  assert.equal(words.map(({ word }: { word: string }) => word).join(''), text);
  for (const { byte_ids, merges: passes, ids } of words) {
    let pieces: number[] = byte_ids;
    for (const { rank, left, right, result, ids: after } of passes) {
      assert.equal(merges[rank], `${symbols[left]} ${symbols[right]}`);
      assert.equal(symbols[result], `${symbols[left]}${symbols[right]}`);
      const ranks = pieces.slice(1).map((id, i) => merges.indexOf(`${symbols[pieces[i] ?? 0]} ${symbols[id]}`));
      assert.equal(rank, Math.min(...ranks.filter((found) => found >= 0)));
      const merged: number[] = [];
      for (let i = 0; i < pieces.length; ++i) {
        const joins = pieces[i] === left && pieces[i + 1] === right;
        merged.push(joins ? result : (pieces[i] ?? -1));
        if (joins) ++i;
      }
      assert.deepEqual(after, merged);
      pieces = merged;
    }
    assert.deepEqual(ids, pieces);
  }
  const { ids } = JSON.parse(succeeds('tokenize', embedded, text, '--json'));
  assert.deepEqual(
    words.flatMap((word: { ids: number[] }) => word.ids),
    ids,
  );
  assert.match(
    succeeds('tokenize', embedded, ' Captain', '--merges'),
    /^bytes\t\t " " "C" "a" .*\n(merge \d+\t.*\n)+\d+\t" Captain"\n$/,
  );
  fails(1, ['tokenize', embedded, 'x'.repeat(1025), '--merges'], 'a word of 1025 bytes');
});

test('tensor: every number is in a bin, scales only where there are blocks; an unknown name is refused', () => {
  const matrix = JSON.parse(succeeds('tensor', mini, 'blk.0.attn_qkv.weight', '--bins', '7', '--json'));
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  assert.equal(matrix.type, 'Q8_0');
  assert.equal(matrix.values.count, matrix.shape[0] * matrix.shape[1]);
  assert.equal(matrix.scales.count * 32, matrix.values.count);
  for (const { count, histogram } of [matrix.values, matrix.scales]) {
    assert.equal(histogram.counts.length, 7);
    assert.equal(sum(histogram.counts), count);
  }
  const bias = JSON.parse(succeeds('tensor', mini, 'blk.0.attn_qkv.bias', '--json'));
  assert.equal(sum(bias.values.histogram.counts), bias.shape[0]);
  assert.equal(bias.scales, undefined);
  assert.match(succeeds('tensor', mini, 'output_norm.bias'), /^output_norm\.bias F32 \{\d+\}\n\d+ values from /);
  fails(1, ['tensor', mini, 'nothing'], '"nothing"', 'headflow inspect');
});

test('tokenize gives the ids of llama.cpp', () => {
  const { tokens } = JSON.parse(readFileSync(join(dumps, 'trace.json'), 'utf8'));
  assert.deepEqual(JSON.parse(succeeds('tokenize', mini, 'How are', '--json')).ids, tokens);
  assert.deepEqual(JSON.parse(succeeds('tokenize', mini, '', '--json')).ids, []);
});

test('trace writes every node of the dump, with its shape and near its values', () => {
  const out = join(scratch, 'all');
  succeeds('trace', mini, '--prompt', 'How are', '--out', out);
  const files = readdirSync(dumps).filter((name) => name.endsWith('.npy'));
  assert.ok(files.length > 50);
  for (const name of files) {
    const expected = readNpy(join(dumps, name));
    const got = readNpy(join(out, name));
    assert.deepEqual(got.shape, expected.shape, name);
    assert.ok(relativeRms(got.values, expected.values) < 2e-2, name);
  }
  const manifest = JSON.parse(readFileSync(join(out, 'trace.json'), 'utf8'));
  assert.deepEqual(manifest.nodes['Kcur-1'].view, {
    base: 'wqkv_b-1',
    offset_elements: 64,
    offset_bytes: 256,
    strides_bytes: [4, 64, 768],
  });
  assert.deepEqual(manifest.nodes['kq_soft_max-0'].shape, [4, 2, 2]);
  assert.equal(manifest.model.head_count, 4);
});

test('trace takes token ids and single nodes', () => {
  const out = join(scratch, 'some');
  succeeds('trace', mini, '--tokens', '267,265', '--node', 'kq_soft_max-1', '--node', 'result_output', '--out', out);
  assert.deepEqual(readdirSync(out).sort(), ['kq_soft_max-1.npy', 'result_output.npy', 'trace.json']);
  const fromPrompt = readNpy(join(scratch, 'all', 'kq_soft_max-1.npy'));
  assert.deepEqual(readNpy(join(out, 'kq_soft_max-1.npy')).values, fromPrompt.values);
});

test('generate repeats itself with a seed, and greedily without', () => {
  const seeded = [
    'generate',
    mini,
    '--prompt',
    'How',
    '-n',
    '8',
    '--temp',
    '1',
    '--top-k',
    '40',
    '--top-p',
    '0.9',
    '--seed',
    '7',
  ];
  assert.equal(succeeds(...seeded), succeeds(...seeded));
  const draws = succeeds(...seeded, '--json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(draws.length, 8);
  const bytes = Buffer.from(draws.flatMap((draw) => draw.bytes));
  const text = headflow(...seeded).stdout;
  assert.equal(`How${bytes.toString('utf8')}\n`, text);
  const size = JSON.parse(succeeds('inspect', mini, '--json')).metadata['tokenizer.ggml.tokens'].value.length;
  for (const { kept, probability, removed_by_top_k: byK, removed_by_top_p: byP } of draws) {
    assert.equal(byK.tokens, size - 40);
    assert.equal(kept + byP.tokens, 40);
    assert.ok(byK.probability > 0 && byP.probability > 0 && byK.probability + byP.probability < 1);
    assert.ok(probability > 0 && probability <= 1);
  }
  assert.ok(succeeds('generate', mini, '--prompt', 'How', '-n', '8').startsWith('How'));
});

const explainArguments = (cell: string) => ['explain', mini, '--prompt', 'How are', '--cell', cell];

/** Only what the tests look at. */
interface Explained {
  readonly cell: string;
  readonly function: string;
  readonly value: number;
  readonly parts: { factors: { cells: string[]; values: number[]; used?: number[] }[]; terms: number[] }[];
  readonly steps: { name: string; value: number }[];
  readonly error: number;
  readonly bound: number;
}
const explained = (cell: string): Explained => JSON.parse(succeeds(...explainArguments(cell), '--json'));

test('explain --json: a softmax weight by hand, down to the products of a score', () => {
  const weight = explained('kq_soft_max-0[0,1,0]');
  const [raw] = weight.parts[0]?.factors ?? [];
  assert.deepEqual(raw?.cells, ['kq-0[0,1,0]', 'kq-0[0,1,1]']);
  const scaled = (raw?.values ?? []).map((score) => score / Math.sqrt(16));
  const exponentials = scaled.map((score) => Math.exp(score - Math.max(...scaled)));
  const share = (exponentials[0] ?? 0) / exponentials.reduce((a, b) => a + b);
  assert.ok(Math.abs(weight.value - share) < 1e-7);

  const score = explained(raw?.cells[0] ?? '');
  assert.equal(score.value, raw?.values[0]);
  const [q, k] = score.parts[0]?.factors ?? [];
  assert.equal(q?.values.length, 16);
  const products = (q?.values ?? []).map((value, d) => value * (k?.values[d] ?? Number.NaN));
  const sum = products.reduce((a, b) => a + b);
  assert.ok(Math.abs(sum - score.value) <= 1e-6 * products.reduce((a, b) => a + Math.abs(b), 0));
  assert.ok(score.error <= score.bound);
});

test('explain says every step of the way from an attention output to the file', () => {
  const update = explained('attn_out-1[1,5]');
  assert.equal(update.parts[0]?.terms.length, 4);
  const head = explained(update.parts[0]?.factors[0]?.cells[2] ?? '');
  assert.equal(head.cell, 'attn_out_mm-1[2,1,5]');
  assert.equal(head.parts[0]?.terms.length, 16);
  const weight = explained(head.parts[0]?.factors[1]?.cells[0] ?? '');
  assert.equal(weight.cell, 'blk.1.attn_output.weight[5,32]');
  const step = (name: string) => weight.steps.find((one) => one.name === name)?.value ?? Number.NaN;
  const bytes = readFileSync(mini);
  assert.equal(bytes.readInt8(step('offset')), step('code'));
  assert.equal(step('code') * step('scale'), weight.value);
});

test('explain prints a table with a running sum', () => {
  const text = succeeds(...explainArguments('Qcur-0[0,1,3]'));
  assert.match(text, /^Qcur-0\[0,1,3\] = 0\.198/);
  assert.equal(text.match(/so far/g)?.length, 65);
  assert.match(text, /attn_norm-0\[1,0\] .* as used .* blk\.0\.attn_qkv\.weight\[3,0\]/);
});

const failures: [string, string[], RegExp][] = [
  ['a file that is not there', ['inspect', join(scratch, 'none.gguf')], /none\.gguf/],
  ['a node that is none', ['trace', mini, '--prompt', 'a', '--node', 'kq-7', '--out', scratch], /kq-7/],
  ['more tokens than the context', ['trace', mini, '--prompt', 'ab'.repeat(80), '--out', scratch], /at most 64/],
  ['a token that is none', ['trace', mini, '--tokens', '999', '--out', scratch], /999/],
  ['a cell that is none', explainArguments('kq-0[0,2,0]'), /within \[4, 2, 2\]/],
  ['an empty prompt', ['generate', mini, '--prompt', ''], /no token/],
  ['a temperature below 0', ['generate', mini, '--prompt', 'a', '--temp', '-1'], /temperature/],
];
for (const [what, args, message] of failures) {
  test(`${what}: one line on stderr, exit code 1`, () => {
    const { status, stderr } = headflow(...args);
    assert.equal(status, 1);
    assert.match(stderr, /^headflow: [^\n]+\n$/);
    assert.match(stderr, message);
  });
}

test('a file that was cut short is refused, wherever it was cut', () => {
  const whole = readFileSync(mini);
  for (let size = 0; size < whole.length; size += 9973) {
    const path = join(scratch, 'cut.gguf');
    writeFileSync(path, whole.subarray(0, size));
    const { status, stderr } = headflow('trace', path, '--prompt', 'a', '--out', scratch);
    assert.equal(status, 1, `${size} bytes`);
    assert.match(stderr, /^headflow: [^\n]+\n$/);
  }
});

test('wrong usage has exit code 2', () => {
  const usages: string[][] = [
    [],
    ['fly'],
    ['inspect'],
    ['trace', mini],
    ['generate', mini, '--prompt', 'a', '-n', 'many'],
  ];
  for (const args of usages) {
    assert.equal(headflow(...args).status, 2, args.join(' '));
  }
  assert.equal(headflow('--help').status, 0);
});

test('log lists the nodes in order, with operands in ggml’s axis order, values and sums', () => {
  const text = succeeds('log', mini, '--prompt', 'How are');
  const heads = text.split('\n').filter((line) => line.includes(' = ') && !line.startsWith(' '));
  assert.equal(heads.length, 3 + 2 * 24 + 4);
  assert.equal(heads[6], 'wqkv-0 = MUL_MAT(blk.0.attn_qkv.weight{64, 192}, attn_norm-0{64, 2}) = {192, 2}');
  const { values } = readNpy(join(dumps, 'wqkv-0.npy'));
  const sum = values.reduce((total, value) => total + value, 0);
  const logged = /^wqkv-0 = [^\n]*\n(?: +[[.][^\n]*\n)+ +sum = (\S+)/m.exec(text);
  assert.ok(Math.abs(Number(logged?.[1]) - sum) < 1e-3, logged?.[1]);
});

test('log’s filter matches operands too', () => {
  const pattern = 'blk\\.0\\.attn_output\\.(weight|bias)';
  const text = succeeds('log', mini, '--prompt', 'How are', '--filter', pattern, '--logical');
  const names = text.match(/^\S+(?= = )/gm);
  assert.deepEqual(names, ['attn_out_mm-0', 'attn_out-0']);
  assert.match(text, /unnamed in llama\.cpp/);
});
