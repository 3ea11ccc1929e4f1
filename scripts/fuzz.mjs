// Feeds the engine's entries with ever new bytes: npm run fuzz -- [--minutes 60] [--only name,name]
//
// Builds cpp/fuzz with clang into build/fuzz, and runs each entry for that many minutes, one after another. What is found
// on the way is kept in build/fuzz/corpus, so that the next run goes on from there. Ends with 1 where an entry failed;
// libFuzzer's output names the file that makes it fail again.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './setup/paths.mjs';

const SECONDS_PER_INPUT = 10;
const LONGEST_INPUT = 4096;

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, only: { type: 'string' } },
});
const seconds = Math.round(Number(options.minutes) * 60);
if (!(seconds > 0)) throw new Error('--minutes takes a number above 0');

const build = join(root, 'build', 'fuzz');
const corpora = join(root, 'cpp', 'fuzz', 'corpus');
const wanted = options.only?.split(',');
const names = readdirSync(corpora).filter((name) => wanted?.includes(name) ?? true);
if (names.length === 0) throw new Error(`no entry of this name: ${readdirSync(corpora).join(', ')}`);

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  return status === 0;
}

// A clang without its run-time libraries is of no use: the first that links an empty entry is taken.
const EMPTY = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }';
const TRY = ['-fsanitize=fuzzer,address,undefined', '-x', 'c++', '-', '-o', join(tmpdir(), `headflow-${process.pid}`)];
const clang = ['clang++', 'clang++-19'].find((name) => spawnSync(name, TRY, { input: EMPTY }).status === 0);
rmSync(TRY.at(-1), { force: true });
if (clang === undefined) throw new Error('no clang++ with libFuzzer: apt-get install clang libclang-rt-14-dev');
const configure = ['--preset', 'asan', '-B', build, '-DHEADFLOW_TESTS=OFF', '-DHEADFLOW_FUZZ=ON'];
if (!run('cmake', ...configure, `-DCMAKE_CXX_COMPILER=${clang}`)) process.exit(1);
if (!run('cmake', '--build', build, '--target', ...names.map((name) => `${name}_fuzz`))) process.exit(1);

const failed = names.filter((name) => {
  console.log(`\n== ${name}, ${seconds} s`);
  const found = join(build, 'corpus', name);
  mkdirSync(found, { recursive: true });
  const limits = [`-max_total_time=${seconds}`, `-timeout=${SECONDS_PER_INPUT}`, `-max_len=${LONGEST_INPUT}`];
  const program = join(build, 'cpp', 'fuzz', `${name}_fuzz`);
  return !run(program, ...limits, `-artifact_prefix=${found}-`, '-print_final_stats=1', found, join(corpora, name));
});
console.log(failed.length === 0 ? `\n${names.length} entries held` : `\nFailed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
