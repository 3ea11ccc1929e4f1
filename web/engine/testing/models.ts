// For tests: the small model of cpp/testdata with its dumps, and the page's own model.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../../../cpp/testdata/gpt2-mini/', import.meta.url);

export const MINI_PATH = fileURLToPath(new URL('gpt2-mini.Q8_0.gguf', FOLDER));

export function miniBytes(): Uint8Array {
  return readFileSync(MINI_PATH);
}

/** Several megabytes in reading order, so that loading it takes several requests. */
export function embeddedModelBytes(): Uint8Array<ArrayBuffer> {
  return readFileSync(new URL('../../../models/headflow-small.Q8_0.gguf', import.meta.url));
}

/** The prompt of the dumps and fingerprints that lie beside the small model. */
export function catTokens(): number[] {
  return JSON.parse(readFileSync(new URL('cat/trace.json', FOLDER), 'utf8')).tokens;
}

/** Node name -> FNV-1a of its values' bytes, the same for every build of the engine. */
export function fingerprints(): Record<string, string> {
  return JSON.parse(readFileSync(new URL('fingerprints.json', FOLDER), 'utf8'));
}

export function fingerprint(values: Float32Array): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new Uint8Array(values.buffer)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString();
}
