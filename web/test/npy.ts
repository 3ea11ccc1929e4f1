// For tests: reads the .npy files that the command and llama.cpp's dumps are in.
import { readFileSync } from 'node:fs';

export interface Npy {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

/** Little-endian float32 in C order, format version 1.0. */
export function readNpy(path: string): Npy {
  const bytes = readFileSync(path);
  const start = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, start);
  if (!header.includes("'descr': '<f4', 'fortran_order': False")) throw new Error(`${path}: ${header}`);
  const shape = (/\(([^)]*)\)/.exec(header)?.[1] ?? '')
    .split(',')
    .filter((part) => part.trim())
    .map(Number);
  return { shape, values: new Float32Array(new Uint8Array(bytes.subarray(start)).buffer) };
}
