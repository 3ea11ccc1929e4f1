// A Node and an npm that the page's build tools work with: the one that runs this, or newer ones from the npm registry.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { toolchain } from './paths.mjs';
import { atLeast, run, step } from './run.mjs';

const NODE = '22.23.5';
const NPM = '11.19.1';

const folder = join(toolchain, 'node');
const binaries = join(folder, 'node_modules', '.bin');

/** The folders that must be on PATH for the Node that runs this: none, but for one that was brought. */
export const nodeFolders = () => (process.execPath.startsWith(folder) ? [binaries] : []);

/** Is this Node one that vite supports? */
function isRecent(version) {
  return atLeast(version, '22.12.0') || (atLeast(version, '20.19.0') && !atLeast(version, '21.0.0'));
}

/** Where the running Node is too old, brings a newer one, runs the same command under it, and ends with its result. */
export function ensureRecentNode() {
  if (isRecent(process.versions.node)) return;
  if (!existsSync(join(folder, `complete-${NODE}`))) bringNode();
  const path = `${binaries}${delimiter}${process.env.PATH}`;
  const result = spawnSync(join(binaries, 'node'), process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  });
  process.exit(result.status ?? 1);
}

function bringNode() {
  step(`Node ${process.versions.node} is too old: bringing ${NODE} from the npm registry`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const packages = [`node-${process.platform}-${process.arch}@${NODE}`, `npm@${NPM}`];
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, ...packages], { cwd: folder });
  writeFileSync(join(folder, `complete-${NODE}`), '');
}
