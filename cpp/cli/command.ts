// For tests: the native command, the small model with llama.cpp's tensors, and a folder to write to.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
export const commandPath = join(root, 'build', 'cli', 'headflow');
const folder = join(root, 'cpp', 'testdata', 'gpt2-mini');

export const mini = join(folder, 'gpt2-mini.Q8_0.gguf');
/** The model that is part of the page. */
export const embedded = join(root, 'models', 'headflow-small.Q8_0.gguf');
/** What llama.cpp computed for "How are". */
export const dumps = join(folder, 'how');

/** A new folder, gone when the file's tests have run. */
export function scratchFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'headflow-'));
  afterAll(() => rmSync(path, { recursive: true }));
  return path;
}

export function headflow(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(commandPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return { status, stdout, stderr };
}

/** What the command prints; it must succeed. */
export function succeeds(...args: string[]): string {
  const result = headflow(...args);
  assert.equal(result.status, 0, result.stderr);
  return result.stdout;
}

/** The command fails with this exit code and one line that says all of these, none of whose bytes are controls. */
export function fails(status: number, args: readonly string[], ...says: (RegExp | string)[]) {
  const result = headflow(...args);
  assert.equal(result.status, status, `${args.join(' ')}: ${result.stdout}${result.stderr}`);
  assert.match(result.stderr, /^headflow: [^\n]+\n$/);
  for (const text of says) assert.match(result.stderr, new RegExp(text));
  return result;
}
