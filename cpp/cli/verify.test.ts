// `headflow verify` and `headflow quantize` as a user calls them.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { readNpy } from '../../web/test/npy';
import { dumps, headflow, mini, scratchFolder } from './command';

const scratch = scratchFolder();

/** A GGUF file of one F32 matrix {32, 2}, "w". */
function writeMatrix(name: string, values: readonly number[]) {
  const text = (value: string) => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(value.length));
    return Buffer.concat([length, Buffer.from(value)]);
  };
  const head = Buffer.alloc(20);
  head.writeUInt32LE(3);
  head.writeBigUInt64LE(1n, 4);
  const shape = Buffer.alloc(32);
  shape.writeUInt32LE(2);
  shape.writeBigUInt64LE(32n, 4);
  shape.writeBigUInt64LE(2n, 12);
  const header = Buffer.concat([Buffer.from('GGUF'), head, text('w'), shape]);
  const padding = Buffer.alloc((32 - (header.length % 32)) % 32);
  const path = join(scratch, name);
  writeFileSync(path, Buffer.concat([header, padding, Buffer.from(Float32Array.from(values).buffer)]));
  return path;
}

const rows = (text: string) => text.split('\n').filter((line) => / \| (ok|FAILED) \|$/.test(line));

test('verify measures the identities of every block', () => {
  const { status, stdout } = headflow('verify', mini);
  assert.equal(status, 0);
  assert.equal(rows(stdout).length, 8);
  assert.match(stdout, /blocks 0 to 1/);
});

test('verify --golden holds for what llama.cpp computed, and fails for a number made wrong', () => {
  const { shape, values } = readNpy(join(dumps, 'kq-0.npy'));
  const tokens = shape.at(-1) ?? 0;
  const golden = (change: number) => {
    const path = join(scratch, `golden-${change}.json`);
    const scores = [0, 1].map((query) => Array.from(values.slice(query * tokens, (query + 1) * tokens)));
    (scores[1] ?? [])[1] = (values[tokens + 1] ?? 0) + change;
    const tolerances = { values: 1e-5, scores: 1e-4, logprobs: 0.02 };
    writeFileSync(path, JSON.stringify({ tolerances, 'prompt How are': { 'block 0': { 'kq head 0': scores } } }));
    return path;
  };
  const right = headflow('verify', mini, '--golden', golden(0));
  assert.equal(right.status, 0, right.stdout);
  assert.equal(rows(right.stdout).length, 8 + 2 * tokens);
  const wrong = headflow('verify', mini, '--golden', golden(2e-4));
  assert.equal(wrong.status, 1);
  assert.deepEqual(
    rows(wrong.stdout)
      .filter((row) => row.includes('FAILED'))
      .map((row) => row.split(' | ')[0]),
    ['| kq-0, head 0 [1, 1] of "How are"'],
  );
  writeFileSync(join(scratch, 'broken.json'), '{');
  const broken = headflow('verify', mini, '--golden', join(scratch, 'broken.json'));
  assert.equal(broken.status, 1);
  assert.match(broken.stderr, /^headflow: golden file: /);
});

test('quantize rounds as ggml’s reference, and says what it did', () => {
  const values = Array.from({ length: 64 }, (_, i) => (i === 0 ? 127 : i === 1 ? -0.5 : i === 32 ? -254 : 0));
  const out = join(scratch, 'q8.gguf');
  const { status, stdout } = headflow('quantize', writeMatrix('floats.gguf', values), out);
  assert.equal(status, 0);
  assert.match(stdout, /^1 matrices became Q8_0, 0 tensors stayed as they were/);
  const json = JSON.parse(headflow('inspect', out, '--json').stdout);
  assert.deepEqual(json.metadata['general.file_type'], { type: 'uint32', value: 7 });
  const { type, offset, size } = json.tensors.w;
  assert.deepEqual([type, size], ['Q8_0', 68]);
  const data = readFileSync(out).subarray(offset, offset + size);
  assert.deepEqual([...data.subarray(0, 4)], [0x00, 0x3c, 127, 0xff]);
  assert.deepEqual([...data.subarray(34, 37)], [0x00, 0x40, 0x81]);
});

test('quantize leaves everything as it was when it fails', () => {
  const bad = writeMatrix('bad.gguf', Array(64).fill(Number.NaN));
  const out = join(scratch, 'never.gguf');
  const damaged = headflow('quantize', bad, out);
  assert.equal(damaged.status, 1);
  assert.match(damaged.stderr, /^headflow: tensor w, row 0, element 0: /);
  assert.ok(!existsSync(out) && !existsSync(`${out}.part`));
  const before = readFileSync(bad);
  const same = headflow('quantize', bad, join(scratch, '.', 'bad.gguf'));
  assert.equal(same.status, 1);
  assert.match(same.stderr, /expected another one/);
  assert.deepEqual(readFileSync(bad), before);
});
