// Builds what is named: node scripts/build.mjs wasm page single cli (without names: wasm page).
//
// wasm -> build/wasm/headflow.js, .wasm, .d.ts; page -> dist/; single -> dist-single/headflow.html; cli -> build/cli/headflow
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildPreset } from './cmake.mjs';
import { setUp } from './setup/main.mjs';
import { root } from './setup/paths.mjs';

const succeeds = (command, ...args) => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;

const TARGETS = {
  wasm: { purpose: 'page', build: () => buildPreset('wasm') },
  page: { purpose: 'page', build: () => succeeds('vite', 'build', '--logLevel', 'warn') },
  single: { purpose: 'page', build: () => succeeds('node', 'scripts/single.mjs') },
  cli: { purpose: 'cli', build: () => buildPreset('cli') },
};

/** Builds these one after another, or ends the process at the first that fails: its own output has said why. */
export function build(names) {
  for (const name of names) {
    console.log(`Building ${name}`);
    if (TARGETS[name].build()) continue;
    console.error(`Building ${name} failed`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : ['wasm', 'page'];
  const unknown = names.filter((name) => !(name in TARGETS));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(' ')}`);
  setUp([...new Set(names.map((name) => TARGETS[name].purpose))]);
  build(names);
}
