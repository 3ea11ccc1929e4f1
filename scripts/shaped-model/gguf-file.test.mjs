import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Float32, Int32s, Text, Texts, Uint32, writeGguf } from '../lib/gguf-writer.mjs';
import { GgufFile } from './gguf-file.mjs';
import { floats, matrix } from './tensors.mjs';

function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'gguf-'));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const metadata = [
  ['text', Text('é')],
  ['number', Uint32(7)],
  ['texts', Texts(['a', '', 'bc'])],
  ['numbers', Int32s([1, 2, 3])],
  ['float', Float32(0.5)],
];

test('Tensors come back from a file', () => {
  inFolder((folder) => {
    const path = join(folder, 'new', 'file.gguf');
    const fillRow = (row, i) => row.fill(i + 1);
    writeGguf(path, metadata, [
      floats('odd', [3], () => Float32Array.of(1, -2, 3.5)),
      matrix('codes', 32, 2, () => fillRow),
    ]);
    const file = new GgufFile(path);
    assert.deepEqual(file.values('odd'), Float32Array.of(1, -2, 3.5));
    const codes = file.values('codes');
    for (const [i, value] of codes.entries()) assert.ok(Math.abs(value - (i < 32 ? 1 : 2)) < 1e-3);
    file.close();
  });
});

test('A tensor of the wrong size leaves no file', () => {
  inFolder((folder) => {
    const wrong = floats('wrong', [3], () => new Float32Array(2));
    assert.throws(() => writeGguf(join(folder, 'file.gguf'), [], [wrong]), /wrong: got 8 bytes, expected 12/);
    assert.ok(!readdirSync(folder).includes('file.gguf'));
  });
});
