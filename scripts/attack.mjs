// Attacks the command with malformed and changed files and with odd arguments: npm run attack [-- --seed 1 --files 200]
//
// Every file goes through every subcommand that reads a model. Each must end by itself, within 10 seconds, with an exit
// code of its own and, where that is not 0, one line on standard error without control characters; and what it prints
// must not hold a number that is none. A file of which bytes were left out, put in or counted wrongly is refused, or
// gives the right file's text.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './setup/paths.mjs';

const { values: options } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, files: { type: 'string', default: '200' } },
});

const LIMIT = 10_000;
const command = join(root, 'build', 'cli', 'headflow');
const mini = join(root, 'cpp', 'testdata', 'gpt2-mini', 'gpt2-mini.Q8_0.gguf');
const odd = join(root, 'cpp', 'testdata', 'odd');
const scratch = mkdtempSync(join(tmpdir(), 'headflow-attack-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

// mulberry32: the same files for the same seed.
let state = Number(options.seed) >>> 0;
function random(below) {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) % below;
}

const problems = [];
let runs = 0;

/** Runs the command, which must end as it promises. */
function attack(what, args) {
  runs++;
  const start = Date.now();
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
  return { ...result, seconds: (Date.now() - start) / 1000 };
}

const COMMANDS = (file) => [
  ['inspect', file],
  ['inspect', file, '--json'],
  ['tokenize', file, 'How are you?'],
  ['next', file, '--prompt', 'How are', '--json'],
  ['generate', file, '--prompt', 'How are', '-n', '3'],
  ['trace', file, '--prompt', 'How', '--out', join(scratch, 'trace')],
  ['log', file, '--prompt', 'How', '--filter', '^kq'],
  ['explain', file, '--prompt', 'How are', '--cell', 'kq-0[0,1,0]'],
  ['heads', file, '--prompt', 'How are'],
  ['lens', file, '--prompt', 'How are'],
  ['verify', file],
  ['quantize', file, join(scratch, 'quantized.gguf')],
  ['shard', file, '--size', '100kB', '--out', join(scratch, 'pieces')],
];

const GENERATE = 4; // Of those.

const headerSize = (bytes) => Math.min(bytes.length - 16, Math.max(24, bytes.indexOf('token_embd.weight')) + 2048);

// How a right file is changed.
const CHANGES = {
  'bytes of the header': (bytes) => {
    for (let i = random(4); i >= 0; i--) bytes[random(headerSize(bytes))] = random(256);
    return bytes;
  },
  'an extreme length': (bytes) => {
    const extreme = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n][random(6)];
    bytes.writeBigUInt64LE(extreme, random(headerSize(bytes)));
    return bytes;
  },
  'a count': (bytes) => {
    const at = random(2) === 0 ? 8 : 16;
    bytes.writeBigUInt64LE(BigInt.asUintN(64, bytes.readBigUInt64LE(at) + BigInt(random(5)) - 2n), at);
    return bytes;
  },
  'cut short': (bytes) => bytes.subarray(0, random(bytes.length)),
  'more behind it': (bytes) => Buffer.concat([bytes, Buffer.alloc(1 + random(5000), random(256))]),
  'bytes put in': (bytes) => {
    const at = random(headerSize(bytes));
    return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(1 + random(64), random(256)), bytes.subarray(at)]);
  },
  'bytes left out': (bytes) => {
    const at = random(headerSize(bytes));
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(64))]);
  },
  'large weights': (bytes) => {
    for (let i = 0; i < 8; i++) bytes.writeFloatLE(3e38, bytes.length - 4 * (1 + random(bytes.length >> 3)));
    return bytes;
  },
  zeros: (bytes) => bytes.fill(0, random(bytes.length), bytes.length),
};

// Of the files, some are odd and right, some are changed ones.
const sources = [
  mini,
  ...readdirSync(odd)
    .filter((name) => name.endsWith('.gguf'))
    .map((name) => join(odd, name)),
];
const names = Object.keys(CHANGES);
// Changes after which the weights, if any are read, must be the right ones.
const LAYOUT = ['a count', 'cut short', 'more behind it', 'bytes put in', 'bytes left out'];
const opened = { refused: 0, read: 0 };
for (let i = 0; i < Number(options.files); i++) {
  const name = names[i % names.length];
  const source = sources[random(3) === 0 ? random(sources.length) : 0];
  const file = join(scratch, 'model.gguf');
  const right = i < sources.length ? readFileSync(sources[i]) : undefined;
  writeFileSync(file, right ?? CHANGES[name](readFileSync(source)));
  const results = COMMANDS(file).map((args) => attack(right ? `file ${i}, as it is` : `file ${i}, ${name}`, args));
  const text = results[GENERATE].stdout;
  if (results[GENERATE].status === 0 && !right && LAYOUT.includes(name)) {
    const expected = attack('the right file', COMMANDS(source)[GENERATE]).stdout;
    if (text !== expected) problems.push(`file ${i}, ${name}: another text without a word`);
  }
  opened[results[GENERATE].status === 0 ? 'read' : 'refused']++;
}

const ARGUMENTS = [
  [],
  [''],
  ['-'],
  ['--'],
  ['--help'],
  ['-h'],
  ['fly'],
  ['fly\n\x1b[2J'],
  ['inspect'],
  ['inspect', ''],
  ['inspect', '.'],
  ['inspect', '/dev/null'],
  ['inspect', '/dev/zero'],
  ['inspect', 'no\nfile'],
  ['inspect', mini, mini],
  ['inspect', '--jso', mini],
  ['tokenize', mini],
  ['tokenize', mini, ''],
  ['tokenize', mini, '-x'],
  ['tokenize', mini, '--', '-x'],
  ['tokenize', mini, '\xff'],
  ['generate', mini, '--prompt'],
  ['generate', mini, '--prompt='],
  ['generate', mini, '--prompt', 'a', '-n', ''],
  ['generate', mini, '--prompt', 'a', '-n', '-1'],
  ['generate', mini, '--prompt', 'a', '-n', '010'],
  ['generate', mini, '--prompt', 'a', '-n', '9'.repeat(30)],
  ['generate', mini, '--prompt', 'a', '-n', '1000'],
  ['generate', mini, '--prompt', 'a', '--temp', '1e-50'],
  ['generate', mini, '--prompt', 'a', '--temp', 'nan'],
  ['generate', mini, '--prompt', 'a', '--temp', '1e308'],
  ['generate', mini, '--prompt', 'a', '--top-p', '0'],
  ['generate', mini, '--prompt', 'a', '--top-k', '-1'],
  ['generate', mini, '--prompt', 'a', '--seed', '99999999999999999999'],
  ['next', mini, '--tokens', '010'],
  ['next', mini, '--tokens', '272'],
  ['next', mini, '--tokens', ','],
  ['next', mini, '--tokens', '1,'],
  ['next', mini, '--prompt', 'a', '--tokens', '1'],
  ['next', mini, '--prompt', 'a', '--top', '0'],
  ['next', mini, '--prompt', 'a', '--off', '0'],
  ['next', mini, '--prompt', 'a', '--off', '9.9'],
  ['next', mini, '--prompt=', '--json'],
  ['log', mini, '--prompt', 'a', '--filter', '('.repeat(20000)],
  ['log', mini, '--prompt', 'a', '--filter', '(.*)*!'],
  ['log', mini, '--prompt', 'a', '--filter', 'a{2}'],
  ['log', mini, '--prompt', 'a', '--filter=', '--logical'],
  ['explain', mini, '--prompt', 'a', '--cell', 'kq-0[0,0,99999999999999999999]'],
  ['explain', mini, '--prompt', 'a', '--cell', ''],
  ['trace', mini, '--prompt', 'a', '--out', '/dev/null'],
  ['trace', mini, '--prompt', 'a', '--node', '../x'],
  ['shard', mini, '--size', '0'],
  ['shard', mini, '--size', '1e3'],
  ['quantize', mini, ''],
  ['quantize', mini, '/dev/full'],
  ['quantize', mini, mini],
  ['verify', mini, '--golden', ''],
  ['verify', mini, '--golden', mini],
  ['evaluate', mini, '.'],
];
for (const args of ARGUMENTS) attack('arguments', args);

console.log(
  `${options.files} files (${opened.read} read, ${opened.refused} refused), ${ARGUMENTS.length} arguments: ${runs} runs`,
);
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'All ended as they should' : `${problems.length} did not`);
process.exit(problems.length === 0 ? 0 : 1);
