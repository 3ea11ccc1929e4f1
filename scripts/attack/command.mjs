// Runs the command, and holds it to what it promises: it ends by itself, within 10 seconds, with an exit code of its own
// and, where that is not 0, one line on standard error without control characters; and what it prints holds no number
// that is none.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';

export const LIMIT = 10_000;
export const mini = join(root, 'cpp', 'testdata', 'gpt2-mini', 'gpt2-mini.Q8_0.gguf');
export const scratch = mkdtempSync(join(tmpdir(), 'headflow-attack-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const command = join(root, 'build', 'cli', 'headflow');

/** What did not hold, a line each. */
export const problems = [];
export let runs = 0;

/** Runs it; `what`: of which attack, for the lines of problems. */
export function attack(what, args) {
  runs++;
  const result = spawnSync(command, args, { encoding: 'utf8', timeout: LIMIT, maxBuffer: 2 ** 28, cwd: scratch });
  const problem = (text) => problems.push(`${what}: ${args.join(' ')}: ${text}`);
  if (result.error?.code === 'ETIMEDOUT') problem(`more than ${LIMIT / 1000} s`);
  else if (result.status === null) problem(`ended by ${result.signal ?? result.error}`);
  else if (![0, 1, 2].includes(result.status)) problem(`exit code ${result.status}`);
  else if (result.status !== 0 && !/^(headflow: note: [^\n]*\n)*headflow: [^\p{Cc}]+\n$/u.test(result.stderr)) {
    // A check that fails says so in its table.
    if (!(args[0] === 'verify' && result.stdout.includes('FAILED'))) problem(`says ${JSON.stringify(result.stderr)}`);
  }
  const numbers = args[0] === 'next' || args[0] === 'explain' || args[0] === 'verify';
  if (numbers && /(^|[\s:])-?nan\b/i.test(result.stdout)) problem('shows what is no number');
  return result;
}
