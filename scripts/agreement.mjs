// `npm run agreement`: prints how far the engine's nodes are from llama.cpp's and from float64, and puts the tables
// into docs/numbers.md.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setUp } from './setup/main.mjs';
import { root } from './setup/paths.mjs';

const BEGIN = '<!-- npm run agreement: begin -->\n';
const END = '<!-- npm run agreement: end -->';
const page = join(root, 'docs', 'numbers.md');

function run(command, ...args) {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] });
  if (result.status === 0) return result.stdout;
  console.error(`Failed: ${[command, ...args].join(' ')}`);
  process.exit(1);
}

setUp(['cli']);
run('cmake', '--preset', 'cli', '--log-level=WARNING');
run('cmake', '--build', '--preset', 'cli', '--parallel', '2', '--target', 'headflow_agreement');
const tables = run(join(root, 'build', 'cli', 'headflow_agreement'));
console.log(tables);

const text = readFileSync(page, 'utf8');
const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
if (begin < 0 || end < begin) throw new Error(`${page}: expected the lines ${BEGIN.trim()} and ${END}`);
writeFileSync(page, `${text.slice(0, begin + BEGIN.length)}\n${tables}\n${text.slice(end)}`);
