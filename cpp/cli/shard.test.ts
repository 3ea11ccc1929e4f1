// `headflow shard` as a user calls it: the pieces are the file, and Node's SHA-256 agrees with the manifest.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { headflow, mini, scratchFolder, succeeds } from './command';

interface Part {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}
interface Manifest extends Part {
  readonly format: string;
  readonly version: number;
  readonly header: Omit<Part, 'name'>;
  readonly pieces: readonly Part[];
  readonly tensors: readonly Part[];
}

const scratch = scratchFolder();
const whole = readFileSync(mini);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'gpt2-mini.Q8_0.gguf.json'), 'utf8'));

test('pieces of any size, one after another, are the file', () => {
  for (const [size, bytes] of [
    ['20kB', 20_000],
    ['20 KiB', 20_480],
    ['33333', 33_333],
    ['20MB', 20_000_000],
  ] as const) {
    const out = join(scratch, String(bytes));
    const said = succeeds('shard', mini, '--size', size, '--out', out);
    const manifest = manifestIn(out);
    const count = Math.ceil(whole.length / bytes);
    assert.match(said, new RegExp(`^${count} pieces of at most ${bytes} bytes; `));
    assert.deepEqual(
      readdirSync(out).sort(),
      [...manifest.pieces.map(({ name }) => name), 'gpt2-mini.Q8_0.gguf.json'].sort(),
    );
    const pieces = manifest.pieces.map(({ name }) => readFileSync(join(out, name)));
    assert.ok(Buffer.concat(pieces).equals(whole));
    manifest.pieces.forEach((piece, i) => {
      const total = String(count).padStart(5, '0');
      assert.deepEqual(piece, {
        name: `gpt2-mini.Q8_0.gguf-${String(i + 1).padStart(5, '0')}-of-${total}.part`,
        size: Math.min(bytes, whole.length - i * bytes),
        sha256: sha256(pieces[i] ?? Buffer.alloc(0)),
      });
    });
  }
});

test('the manifest has the hashes of the file, its header and each tensor', () => {
  const folder = join(scratch, 'whole');
  mkdirSync(folder);
  const copy = join(folder, 'gpt2-mini.Q8_0.gguf');
  copyFileSync(mini, copy);
  succeeds('shard', copy, '--manifest-only');
  assert.deepEqual(readdirSync(folder).sort(), ['gpt2-mini.Q8_0.gguf', 'gpt2-mini.Q8_0.gguf.json']);
  const { format, version, name, size, sha256: hash, header, pieces, tensors } = manifestIn(folder);
  const file = { name: 'gpt2-mini.Q8_0.gguf', size: whole.length, sha256: sha256(whole) };
  assert.deepEqual({ name, size, sha256: hash }, file);
  assert.deepEqual([format, version, pieces], ['headflow-shards', 1, [file]]);

  const inspected = JSON.parse(succeeds('inspect', mini, '--json'));
  assert.deepEqual(header, { size: inspected.data_offset, sha256: sha256(whole.subarray(0, inspected.data_offset)) });
  const expected = Object.entries<{ offset: number; size: number }>(inspected.tensors).map(
    ([tensor, { offset, size: bytes }]) => ({
      name: tensor,
      size: bytes,
      sha256: sha256(whole.subarray(offset, offset + bytes)),
    }),
  );
  assert.deepEqual(tensors, expected);
});

test('no half-written file stays where a piece cannot be written', () => {
  const out = join(scratch, 'taken');
  mkdirSync(join(out, 'gpt2-mini.Q8_0.gguf-00002-of-00002.part'), { recursive: true });
  const size = String(Math.ceil(whole.length / 2));
  const { status, stderr } = headflow('shard', mini, '--size', size, '--out', out);
  assert.equal(status, 1);
  assert.match(stderr, /^headflow: [^\n]*00002-of-00002\.part[^\n]*\n$/);
  assert.ok(!existsSync(join(out, 'gpt2-mini.Q8_0.gguf.json')));
  assert.deepEqual(
    readdirSync(out).filter((name) => name.endsWith('.part.part')),
    [],
  );
});

test('a file that is no GGUF, and sizes that are none', () => {
  const other = join(scratch, 'other.gguf');
  writeFileSync(other, 'not a model, but long enough to be read as one');
  assert.equal(headflow('shard', other, '--manifest-only').status, 1);
  assert.equal(headflow('shard', mini, '--size', '1', '--out', scratch).status, 1);
  for (const args of [[], ['--size', '0'], ['--size', '-1'], ['--size', 'big'], ['--size', '1MB', '--manifest-only']]) {
    assert.equal(headflow('shard', mini, ...args).status, 2, args.join(' '));
  }
});
