// Writes build/testdata/gpt2-small-shaped.Q8_0.gguf, unless it is there and was written by these same scripts.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeGguf } from '../lib/gguf-writer.mjs';
import { shapedModel } from './model.mjs';

export const PATH = fileURLToPath(new URL('../../build/testdata/gpt2-small-shaped.Q8_0.gguf', import.meta.url));
const STAMP = `${PATH}.stamp`;
const SOURCES = ['./', '../lib/', '../vocabulary/'];

/** A digest of all that the file is made by. */
function recipe() {
  const digest = createHash('sha256');
  for (const source of SOURCES) {
    const folder = new URL(source, import.meta.url);
    for (const name of readdirSync(folder)
      .filter((file) => /(?<!\.test)\.(mjs|json)$/.test(file))
      .sort()) {
      digest.update(name).update(readFileSync(new URL(name, folder)));
    }
  }
  return digest.digest('hex');
}

export function writeShapedModel() {
  const wanted = recipe();
  if (existsSync(PATH) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  const { metadata, tensors } = shapedModel();
  writeGguf(PATH, metadata, tensors);
  writeFileSync(STAMP, wanted);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeShapedModel();
