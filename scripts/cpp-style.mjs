// Looks after the engine's C++ sources: node scripts/cpp-style.mjs check|format|tidy
//
// check and format use clang-format; tidy runs clang-tidy with the compile commands of the preset asan.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup/paths.mjs';
import { findClangTool } from './setup/system-packages.mjs';

const sources = readdirSync(join(root, 'cpp'), { recursive: true })
  .filter((name) => /\.(cc|h)$/.test(name))
  .map((name) => join('cpp', name));

function run(tool, args) {
  const command = findClangTool(tool);
  if (command === undefined) throw new Error(`${tool} is missing: npm run setup says which`);
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;
}

const MODES = {
  check: () => run('clang-format', ['--dry-run', '-Werror', ...sources]),
  format: () => run('clang-format', ['-i', ...sources]),
  tidy: () => {
    const units = sources.filter((name) => name.endsWith('.cc'));
    return run('clang-tidy', ['--quiet', '-p', 'build/asan', ...units]);
  },
};

const mode = MODES[process.argv[2]];
if (mode === undefined) throw new Error(`one of ${Object.keys(MODES).join(', ')}`);
process.exit(mode() ? 0 : 1);
