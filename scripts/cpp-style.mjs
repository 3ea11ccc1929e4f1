// Looks after the engine's C++ sources: node scripts/cpp-style.mjs check|format|tidy
//
// check and format use clang-format on all of cpp/. tidy runs clang-tidy on the engine's own libraries and needs no build.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup/paths.mjs';
import { findClangTool, INCLUDE_FOLDERS } from './setup/system-packages.mjs';

const sources = readdirSync(join(root, 'cpp'), { recursive: true })
  .filter((name) => /\.(cc|h)$/.test(name))
  .map((name) => join('cpp', name));

function find(tool) {
  const command = findClangTool(tool);
  if (command === undefined) throw new Error(`${tool} is missing: npm run setup says which`);
  return command;
}

const run = (tool, args) => spawnSync(find(tool), args, { cwd: root, stdio: 'inherit' }).status === 0;

function start(tool, args) {
  const child = spawn(find(tool), args, { cwd: root, stdio: 'inherit' });
  return new Promise((resolve) => child.on('close', (status) => resolve(status === 0)));
}

const MODES = {
  check: () => run('clang-format', ['--dry-run', '-Werror', ...sources]),
  format: () => run('clang-format', ['-i', ...sources]),
  tidy: async () => {
    const units = sources.filter((name) =>
      /^cpp\/(?!wasm|cli|bench|fuzz|.*testing).*(?<!_test|test_files)\.cc$/.test(name),
    );
    const folders = INCLUDE_FOLDERS.filter((folder) => folder !== '/usr/include'); // clang's own
    const included = folders.map((folder) => `-isystem${folder}`);
    const flags = ['-std=c++20', '-Icpp', '-DHEADFLOW_HAS_SIMD128=1', ...included];
    const halves = [0, 1].map((half) => units.filter((_, index) => index % 2 === half));
    const results = await Promise.all(halves.map((half) => start('clang-tidy', ['--quiet', ...half, '--', ...flags])));
    return results.every(Boolean);
  },
};

const mode = MODES[process.argv[2]];
if (mode === undefined) throw new Error(`one of ${Object.keys(MODES).join(', ')}`);
process.exit((await mode()) ? 0 : 1);
