// Model files that are changed in many ways, through every subcommand that reads one. A file of which bytes were left out,
// put in or counted wrongly is refused, or gives the right file's text.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { randomSource } from '../lib/random.mjs';
import { root } from '../setup/paths.mjs';
import { attack, mini, problems, scratch } from './command.mjs';

const odd = join(root, 'cpp', 'testdata', 'odd');

/** Held-out text of a few words, for `evaluate`. */
const corpus = join(scratch, 'corpus');
mkdirSync(corpus);
writeFileSync(join(corpus, 'few-heldout.txt.gz'), gzipSync('How are you? '.repeat(200)));

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
  ['parts', file, '--prompt', 'How are'],
  ['tensor', file, 'blk.0.attn_qkv.weight'],
  ['evaluate', file, corpus],
  ['shard', file, '--size', '100kB', '--out', join(scratch, 'pieces')],
];

const GENERATE = 4; // Of those.

const headerSize = (bytes) => Math.min(bytes.length - 16, Math.max(24, bytes.indexOf('token_embd.weight')) + 2048);

// How a right file is changed.
const CHANGES = {
  'bytes of the header': (bytes, random) => {
    for (let i = random(4); i >= 0; i--) bytes[random(headerSize(bytes))] = random(256);
    return bytes;
  },
  'an extreme length': (bytes, random) => {
    const extreme = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n][random(6)];
    bytes.writeBigUInt64LE(extreme, random(headerSize(bytes)));
    return bytes;
  },
  'a count': (bytes, random) => {
    const at = random(2) === 0 ? 8 : 16;
    bytes.writeBigUInt64LE(BigInt.asUintN(64, bytes.readBigUInt64LE(at) + BigInt(random(5)) - 2n), at);
    return bytes;
  },
  'cut short': (bytes, random) => bytes.subarray(0, random(bytes.length)),
  'more behind it': (bytes, random) => Buffer.concat([bytes, Buffer.alloc(1 + random(5000), random(256))]),
  'bytes put in': (bytes, random) => {
    const at = random(headerSize(bytes));
    return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(1 + random(64), random(256)), bytes.subarray(at)]);
  },
  'bytes left out': (bytes, random) => {
    const at = random(headerSize(bytes));
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(64))]);
  },
  'large weights': (bytes, random) => {
    for (let i = 0; i < 8; i++) bytes.writeFloatLE(3e38, bytes.length - 4 * (1 + random(bytes.length >> 3)));
    return bytes;
  },
  zeros: (bytes, random) => bytes.fill(0, random(bytes.length), bytes.length),
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

/** The same files for the same seed; how many of them could be read. */
export function attackFiles(count, seed) {
  const source = randomSource(seed);
  const random = (below) => Math.floor(source() * below);
  const opened = { refused: 0, read: 0 };
  for (let i = 0; i < count; i++) {
    const name = names[i % names.length];
    const from = sources[random(3) === 0 ? random(sources.length) : 0];
    const file = join(scratch, 'model.gguf');
    const right = i < sources.length ? readFileSync(sources[i]) : undefined;
    writeFileSync(file, right ?? CHANGES[name](readFileSync(from), random));
    const results = COMMANDS(file).map((args) => attack(right ? `file ${i}, as it is` : `file ${i}, ${name}`, args));
    const text = results[GENERATE].stdout;
    if (results[GENERATE].status === 0 && !right && LAYOUT.includes(name)) {
      const expected = attack('the right file', COMMANDS(from)[GENERATE]).stdout;
      if (text !== expected) problems.push(`file ${i}, ${name}: another text without a word`);
    }
    opened[results[GENERATE].status === 0 ? 'read' : 'refused']++;
  }
  return opened;
}
