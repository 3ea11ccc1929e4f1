// Builds what is named: node scripts/build.mjs wasm page cli (without names: wasm page).
//
// wasm -> build/wasm/headflow.js, .wasm, .d.ts; page -> dist/; cli -> build/cli/headflow
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setUp } from './setup/main.mjs';
import { root } from './setup/paths.mjs';

/** Runs a command, or ends the process: its own output has said why. */
function command(name, ...args) {
  const result = spawnSync(name, args, { cwd: root, stdio: 'inherit' });
  if (result.status === 0) return;
  console.error(`Build failed: ${[name, ...args].join(' ')}`);
  process.exit(1);
}

/** Configures and builds a CMake preset; what is up to date stays as it is. */
export function buildPreset(preset) {
  command('cmake', '--preset', preset, '--log-level=WARNING');
  command('cmake', '--build', '--preset', preset, '--parallel', '2');
}

const TARGETS = {
  wasm: { purpose: 'page', build: () => buildPreset('wasm') },
  page: { purpose: 'page', build: () => command('vite', 'build', '--logLevel', 'warn') },
  cli: { purpose: 'cli', build: () => buildPreset('cli') },
};

export function build(names) {
  for (const name of names) {
    console.log(`Building ${name}`);
    TARGETS[name].build();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : ['wasm', 'page'];
  const unknown = names.filter((name) => !(name in TARGETS));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(' ')}`);
  setUp([...new Set(['page', ...names.map((name) => TARGETS[name].purpose)])]);
  build(names);
}
