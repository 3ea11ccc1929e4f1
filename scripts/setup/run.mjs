// Runs commands for set-up: quietly, with one readable line per step, and with all output when one fails.
import { spawnSync } from 'node:child_process';
import { delimiter, isAbsolute, join } from 'node:path';
import { firstExisting } from './paths.mjs';

/** A failure that is the reader's to mend: printed as it is, without a stack trace. */
export class SetupError extends Error {}

export function step(text) {
  console.log(`  ${text}`);
}

/** What a command prints, or undefined if it cannot be started or fails. */
export function capture(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', ...options });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** The file that a command on PATH starts, or undefined. */
export function which(command) {
  const folders = isAbsolute(command) ? [''] : (process.env.PATH ?? '').split(delimiter);
  return firstExisting(...folders.map((folder) => join(folder, command)));
}

/** Runs a command that must succeed; its output is shown only if it does not. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (result.status === 0) return;
  const output = result.error ? result.error.message : `${result.stdout ?? ''}${result.stderr ?? ''}`;
  throw new SetupError(`${[command, ...args].join(' ')} failed:\n${output.trim()}`);
}

/** Compares dotted versions by number: is `version` at least `wanted`? */
export function atLeast(version, wanted) {
  const numbers = (text) => text.split('.').map((part) => Number.parseInt(part, 10));
  const have = numbers(version);
  for (const [index, want] of numbers(wanted).entries()) {
    const difference = (have[index] ?? 0) - want;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

export const isRoot = () => process.getuid?.() === 0;
