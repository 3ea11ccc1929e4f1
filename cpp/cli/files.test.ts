// What the command does with odd files, odd arguments and odd places to write to: it says what is wrong in one line, and
// leaves what was there.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'vitest';
import { commandPath, fails, headflow, mini, scratchFolder, succeeds } from './command';

const odd = (name: string) => join(import.meta.dirname, '..', 'testdata', 'odd', name);
const scratch = scratchFolder();

test('a part of a model is no model, and the whole is', () => {
  const part = odd('c25-untied-00001-of-00002.gguf');
  for (const args of [
    ['generate', part, '--prompt', 'the'],
    ['verify', part],
    ['trace', part, '--prompt', 'the', '--out', join(scratch, 'part')],
  ]) {
    fails(1, args, 'part 1 of 2', '--merge');
  }
  assert.match(succeeds('inspect', part), /No model that Headflow runs: .*part 1 of 2/);
  assert.match(succeeds('generate', odd('c25-untied-whole.gguf'), '--prompt', 'the', '-n', '2'), /^the/);
});

test('a vocabulary alone is listed and splits texts; nothing is computed', () => {
  const vocabulary = odd('c26-vocab-only.gguf');
  assert.match(succeeds('inspect', vocabulary), /a vocabulary and no weights/);
  assert.ok(JSON.parse(succeeds('tokenize', vocabulary, 'the', '--json')).ids.length > 0);
  fails(1, ['generate', vocabulary, '--prompt', 'the'], 'a vocabulary and no weights');
});

test('a count of tensors that is too low is refused with its place', () => {
  for (const command of ['inspect', 'verify'])
    fails(1, [command, odd('c29-count-minus1.gguf')], 'at byte \\d+: got 64 bytes that no tensor has');
  assert.match(succeeds('inspect', odd('c29-count-right.gguf')), /unused: zz\.unneeded/);
});

test('tensors that nothing uses are listed', () => {
  assert.match(succeeds('inspect', odd('c29-spare-masked_bias.gguf')), /unused: blk\.0\.attn\.masked_bias/);
  assert.match(succeeds('verify', odd('c29-spare-masked_bias.gguf')), /Not used: tensor blk\.0\.attn\.masked_bias/);
});

test('escape sequences and line breaks of a file are shown, not obeyed', () => {
  const text = succeeds('inspect', odd('c32-names-esc.gguf'));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  assert.equal(text.match(/fake\.weight/g)?.length, 2);
  assert.equal(text.match(/^ {2}fake\.weight/gm), null);
});

test('names with line breaks and escapes make one line of error', () => {
  fails(1, ['inspect', join(scratch, 'no\n\x1b[2Jfile')], 'no\\\\x0A\\\\x1B\\[2Jfile');
  fails(2, ['inspect', mini, 'more\n\x1b[2J']);
});

/** The small model with one float of a tensor replaced. */
function changed(name: string, tensor: string, value: number): string {
  const path = join(scratch, name);
  const bytes = readFileSync(mini);
  const { offset } = JSON.parse(succeeds('inspect', mini, '--json')).tensors[tensor];
  bytes.writeFloatLE(value, offset);
  writeFileSync(path, bytes);
  return path;
}

test('numbers that overflow are named, and never printed, drawn from or written', () => {
  const path = changed('overflow.gguf', 'output_norm.weight', 3e38);
  const out = join(scratch, 'overflow');
  const node = /node (norm_w|result_output), row \d+, column \d+/;
  for (const args of [
    ['generate', path, '--prompt', 'How are'],
    ['generate', path, '--prompt', 'How are', '--temp', '1'],
    ['trace', path, '--prompt', 'How are', '--out', out],
    ['next', path, '--prompt', 'How are'],
    ['verify', path],
  ]) {
    const result = headflow(...args);
    assert.equal(result.status, 1, args.join(' '));
    assert.match(result.stderr, node);
    assert.doesNotMatch(result.stdout, /nan|inf\b/i);
  }
  assert.deepEqual(readdirSync(out), []);
});

test('a temperature near 0 takes the likeliest', () => {
  const greedy = succeeds('generate', mini, '--prompt', 'How are', '-n', '8');
  assert.equal(succeeds('generate', mini, '--prompt', 'How are', '-n', '8', '--temp', '1e-50'), greedy);
});

test('numbers are decimal, whole and in range', () => {
  const generate = ['generate', mini, '--prompt', 'a'];
  for (const count of ['', '-1', '1.5', '0x10', '010', 'many', '99999999999999999999']) {
    fails(2, [...generate, '-n', count], 'expected a whole number from 0');
  }
  for (const tokens of ['010', '-1', '0x1', '1 2', '4294967296']) {
    fails(2, ['next', mini, '--tokens', tokens], 'expected a whole number');
  }
  for (const temperature of ['', 'nan', 'inf', '0x1p3', '1e999'])
    fails(2, [...generate, '--temp', temperature], 'a number');
  for (const size of ['0', '-1', '', '010MB', 'MB', '20 XB', '99999999999GiB']) {
    fails(2, ['shard', mini, '--size', size, '--out', scratch], 'expected a size above 0');
  }
});

test('an empty value is a value, and does not take what follows', () => {
  fails(1, ['next', mini, '--prompt=', '--json'], 'no token');
  const all = succeeds('log', mini, '--prompt', 'a', '--filter=', '--logical');
  assert.equal(all, succeeds('log', mini, '--prompt', 'a', '--logical'));
  fails(1, ['verify', mini, '--golden', ''], 'no file that can be read');
});

test('usage: what is not known is named, and a text with a dash goes after two', () => {
  fails(2, ['fly'], 'no subcommand "fly"', 'headflow --help');
  fails(2, ['tokenize', mini, '-dark'], 'goes after --');
  assert.deepEqual(JSON.parse(succeeds('tokenize', mini, '--json', '--', '-a')).bytes.flat(), [45, 97]);
});

test('a failed write of the result is an error', () => {
  for (const args of [['--help'], ['inspect', mini], ['generate', mini, '--prompt', 'a', '-n', '50']]) {
    const { status, stderr } = spawnSync(commandPath, args, {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      encoding: 'utf8',
    });
    assert.equal(status, 1, args.join(' '));
    assert.match(stderr, /^headflow: standard output: [^\n]+\n$/);
  }
});

test('bytes of tokens come back whole', () => {
  const text = '😀日本\xff';
  const bytes = [...Buffer.from(text)];
  const { pieces, bytes: split } = JSON.parse(succeeds('tokenize', mini, text, '--json'));
  assert.deepEqual(split.flat(), bytes);
  assert.equal(split.length, pieces.length);
  const out = join(scratch, 'bytes');
  succeeds('trace', mini, '--prompt', text, '--node', 'embd', '--out', out);
  assert.deepEqual(JSON.parse(readFileSync(join(out, 'trace.json'), 'utf8')).bytes.flat(), bytes);
});

test('llama.cpp’s other way with a file is said', () => {
  const { stderr } = headflow('next', odd('c25-untied-whole.gguf'), '--prompt', 'the');
  assert.equal(stderr, '');
});

test('quantize keeps a mode and a link, follows a dangling one, writes to a FIFO and refuses a folder', () => {
  const folder = join(scratch, 'quantize');
  mkdirSync(folder);
  const source = join(folder, 'source.gguf');
  copyFileSync(mini, source);
  const target = join(folder, 'target.gguf');
  writeFileSync(target, 'old');
  chmodSync(target, 0o600);
  const link = join(folder, 'link.gguf');
  symlinkSync('target.gguf', link);
  succeeds('quantize', source, link);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal(statSync(target).mode & 0o777, 0o600);
  const whole = readFileSync(target);
  assert.ok(whole.length > 1000);

  const dangling = join(folder, 'dangling.gguf');
  symlinkSync(join(folder, 'later.gguf'), dangling);
  succeeds('quantize', source, dangling);
  assert.ok(lstatSync(dangling).isSymbolicLink());
  assert.deepEqual(readFileSync(join(folder, 'later.gguf')), whole);

  fails(1, ['quantize', source, folder], 'directory');
  fails(1, ['quantize', source, source], 'another one');
  symlinkSync('source.gguf', join(folder, 'same.gguf'));
  fails(1, ['quantize', source, join(folder, 'same.gguf')], 'another one');
  fails(1, ['quantize', source, '/dev/full'], 'No space left');
  assert.ok(lstatSync('/dev/full').isCharacterDevice());
  succeeds('quantize', source, '/dev/null');
  assert.deepEqual(readdirSync(folder).sort(), [
    'dangling.gguf',
    'later.gguf',
    'link.gguf',
    'same.gguf',
    'source.gguf',
    'target.gguf',
  ]);
});

test('what is no regular file is not waited for', () => {
  const fifo = join(scratch, 'fifo');
  assert.equal(spawnSync('mkfifo', [fifo]).status, 0);
  fails(1, ['inspect', fifo], 'no regular file');
  fails(1, ['inspect', scratch], 'no regular file');
});

test('a trace replaces an older one as a whole, and nothing that is not its own', () => {
  const out = join(scratch, 'twice');
  succeeds('trace', mini, '--prompt', 'How are', '--node', 'embd', '--node', 'kq-0', '--out', out);
  writeFileSync(join(out, 'mine.npy'), 'mine');
  succeeds('trace', mini, '--prompt', 'How', '--node', 'inpL', '--out', out);
  assert.deepEqual(readdirSync(out).sort(), ['inpL.npy', 'mine.npy', 'trace.json']);

  const other = join(scratch, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'trace.json'), '{"what": "somebody’s"}');
  fails(1, ['trace', mini, '--prompt', 'How', '--out', other], 'did not write');
  assert.deepEqual(readdirSync(other), ['trace.json']);

  // The model under a name that a node has.
  const own = join(scratch, 'own');
  mkdirSync(own);
  copyFileSync(mini, join(own, 'embd.npy'));
  fails(1, ['trace', join(own, 'embd.npy'), '--prompt', 'How', '--node', 'embd', '--out', own], 'another one');
  assert.deepEqual(readFileSync(join(own, 'embd.npy')), readFileSync(mini));
  assert.deepEqual(readdirSync(own), ['embd.npy']);
});

test('traces that are written at once do not mix', async () => {
  const out = join(scratch, 'race');
  const prompts = ['How are', 'How', 'a', 'the cat'];
  const runs = prompts.map(
    (prompt) =>
      new Promise((resolve) =>
        spawn(commandPath, ['trace', mini, '--prompt', prompt, '--out', out], { stdio: 'ignore' }).on('close', resolve),
      ),
  );
  assert.deepEqual(await Promise.all(runs), [0, 0, 0, 0]);
  const { tokens, nodes } = JSON.parse(readFileSync(join(out, 'trace.json'), 'utf8'));
  const expected = join(scratch, 'race-expected');
  succeeds('trace', mini, '--tokens', tokens.join(','), '--out', expected);
  for (const name of Object.keys(nodes)) {
    assert.deepEqual(readFileSync(join(out, `${name}.npy`)), readFileSync(join(expected, `${name}.npy`)), name);
  }
});

test('shard takes the pieces of its earlier cut away, and no other file', () => {
  const out = join(scratch, 'cut');
  const half = String(Math.ceil(statSync(mini).size / 2));
  succeeds('shard', mini, '--size', half, '--out', out);
  assert.equal(readdirSync(out).length, 3);
  succeeds('shard', mini, '--size', '1GB', '--out', out);
  assert.deepEqual(readdirSync(out).sort(), ['gpt2-mini.Q8_0.gguf-00001-of-00001.part', 'gpt2-mini.Q8_0.gguf.json']);

  const other = join(scratch, 'cut-other');
  mkdirSync(other);
  const json = join(other, 'gpt2-mini.Q8_0.gguf.json');
  writeFileSync(json, '{"mine": true}');
  fails(1, ['shard', mini, '--size', half, '--out', other], 'did not write');
  assert.equal(readFileSync(json, 'utf8'), '{"mine": true}');
  assert.deepEqual(readdirSync(other), ['gpt2-mini.Q8_0.gguf.json']);
});

test('verify --golden fails when nothing was compared, and for what is not in form', () => {
  const golden = (text: string) => {
    const path = join(scratch, 'golden.json');
    writeFileSync(path, text);
    return ['verify', mini, '--golden', path];
  };
  fails(1, golden('{}'), 'nothing that could be compared');
  fails(1, golden('{"prompt How are": {}}'), 'nothing that could be compared');
  fails(1, golden('null'), 'an object');
  fails(1, golden('{"promt How are": {"embd": []}}'), 'promt How are');
  fails(1, golden('{"prompt How are": {"embed": []}}'), 'embed');
  const deep = '['.repeat(200000) + ']'.repeat(200000);
  fails(1, golden(deep), 'lists within lists');
  fails(1, golden(`{"tolerances": {"values": 1}, "prompt How are": {"embd": [${deep}]}}`), 'lists within lists');
  const row = Array(65).fill(0);
  fails(1, golden(JSON.stringify({ tolerances: { values: 1 }, 'prompt How are': { embd: [row] } })), 'at most 64');
});

test('evaluate: text that is cut short, empty or missing is no text; any context does', () => {
  const corpus = (name: string, bytes: Buffer) => {
    const folder = join(scratch, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'a-heldout.txt.gz'), bytes);
    return folder;
  };
  const whole = gzipSync('How are you? The cat sat on the mat. '.repeat(40));
  fails(1, ['evaluate', mini, corpus('cut-short', whole.subarray(0, whole.length - 12))], 'end too early');
  fails(1, ['evaluate', mini, corpus('nothing', gzipSync(''))], 'no text');
  fails(1, ['evaluate', mini, corpus('plain', Buffer.from('no gzip'))], 'gzip');
  const result = JSON.parse(succeeds('evaluate', mini, corpus('whole', gzipSync('How are you?')), '--json'));
  assert.ok(result.texts['a-heldout.txt.gz'].bits_per_byte > 0);
  for (const { induction } of result.heads) assert.ok(induction >= 0 && induction <= 1);
});

test('headers with many entries are read in linear time and room', () => {
  // A list that is searched for each of them takes seconds.
  const count = 50_000;
  const parts = [Buffer.from('GGUF'), Buffer.alloc(20)];
  parts[1]?.writeUInt32LE(3, 0);
  parts[1]?.writeBigUInt64LE(BigInt(count), 12);
  for (let i = 0; i < count; i++) {
    const key = Buffer.from(`k${i}`);
    const entry = Buffer.alloc(8 + key.length + 5);
    entry.writeBigUInt64LE(BigInt(key.length));
    key.copy(entry, 8);
    entry[entry.length - 1] = 1;
    parts.push(entry);
  }
  const path = join(scratch, 'keys.gguf');
  writeFileSync(path, Buffer.concat(parts));
  assert.equal(succeeds('inspect', path).match(/\(uint8\): 1/g)?.length, count);
  assert.equal(Object.keys(JSON.parse(succeeds('inspect', path, '--json')).metadata).length, count);
  assert.ok(existsSync(path));
});
