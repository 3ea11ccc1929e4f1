// Set-up: brings, where it is missing, all that a build or a test needs. Seconds when everything is there.
//
//   node scripts/setup/main.mjs [page|cli|test|browser ...]
//
// As root on Debian or Ubuntu it installs system packages; everywhere else it says what to install. Whatever it
// brings itself goes into build/toolchain.
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findEmscripten } from './emscripten.mjs';
import { ensureRecentNode, nodeFolders } from './node.mjs';
import { installNpmPackages } from './npm-packages.mjs';
import { root, toolchain } from './paths.mjs';
import { SetupError, step } from './run.mjs';
import { installSystemPackages } from './system-packages.mjs';

export const ALL = ['page', 'cli', 'test', 'browser'];

/** Sets up for the purposes named, and puts the tools on this process's PATH. Ends the process if something is missing. */
export function setUp(purposes) {
  ensureRecentNode();
  console.log(`Set-up (${purposes.join(', ')})`);
  try {
    installNpmPackages();
    installSystemPackages(purposes);
    const folders = [join(root, 'node_modules', '.bin'), ...nodeFolders()];
    if (purposes.includes('page')) {
      const emscripten = findEmscripten();
      step(`Emscripten ${emscripten.version}, Node ${process.versions.node}`);
      folders.push(emscripten.folder);
    }
    process.env.PATH = [...folders, process.env.PATH].join(delimiter);
    writeShellEnvironment(folders);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(`Set-up failed: ${error.message}`);
    process.exit(1);
  }
}

/** For a shell: `. build/toolchain/env.sh` gives it the same tools. */
function writeShellEnvironment(folders) {
  mkdirSync(toolchain, { recursive: true });
  writeFileSync(join(toolchain, 'env.sh'), `export PATH="${folders.join(':')}:$PATH"\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const purposes = process.argv.slice(2);
  setUp(purposes.length > 0 ? purposes : ALL);
}
