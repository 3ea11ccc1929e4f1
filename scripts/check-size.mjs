// The size budget of the page: script and WebAssembly that one view needs, compressed, from vite's manifest of dist/.
//
// Counted for each page: its script, what that imports, the largest part that is loaded on demand, and the workers and
// WebAssembly modules that any of these name.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './setup/paths.mjs';

/** 220 before heads could be tried and logits taken apart; what is asked for late could be loaded late (docs/building.md). */
const BUDGET = 275 * 1024;

const dist = join(root, 'dist');
const manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'));
const onDemand = new Set(Object.values(manifest).flatMap((chunk) => chunk.dynamicImports ?? []));
const onDemandFiles = new Set([...onDemand].map((key) => manifest[key].file));
const loadable = readdirSync(join(dist, 'assets')).filter((name) => /\.(js|wasm)$/.test(name));

/** The files that a chunk of the manifest needs at once, with those that they name in their text. */
function filesOf(key, files = new Set()) {
  const chunk = manifest[key];
  addFile(chunk.file, files);
  for (const imported of chunk.imports ?? []) filesOf(imported, files);
  return files;
}

function addFile(file, files) {
  if (files.has(file)) return;
  files.add(file);
  if (!file.endsWith('.js')) return;
  const text = readFileSync(join(dist, file), 'utf8');
  const named = loadable.filter((name) => text.includes(name)).map((name) => join('assets', name));
  for (const name of named) if (!onDemandFiles.has(name)) addFile(name, files);
}

const compressed = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;
const total = (files) => [...files].reduce((sum, file) => sum + compressed(file), 0);
const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;

let tooLarge = false;
for (const [page] of Object.entries(manifest).filter(([, chunk]) => chunk.isEntry)) {
  const first = filesOf(page);
  const views = [...onDemand].map((key) => filesOf(key, new Set(first)));
  const needed = views.reduce((largest, view) => (total(view) > total(largest) ? view : largest), first);
  console.log(`${page}: ${kilobytes(total(needed))} of ${kilobytes(BUDGET)}, gzip`);
  for (const file of needed) console.log(`  ${kilobytes(compressed(file)).padStart(9)}  ${basename(file)}`);
  tooLarge ||= total(needed) > BUDGET;
}
if (tooLarge) console.error('Over the budget.');
process.exit(tooLarge ? 1 : 0);
