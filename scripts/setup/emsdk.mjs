// Emscripten where the system has none that serves: the official SDK, pinned, in a folder that git ignores.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolchain } from './paths.mjs';
import { capture, run, SetupError, step } from './run.mjs';

const VERSION = '4.0.10';
const REPOSITORY = 'https://github.com/emscripten-core/emsdk.git';

const folder = join(toolchain, 'emsdk');
const stamp = join(folder, `complete-${VERSION}`);

/** Installs the SDK where that has not been done yet, and returns the folder that has emcc in it. */
export function emsdk() {
  if (!existsSync(stamp)) {
    requireTools();
    rmSync(folder, { recursive: true, force: true });
    step(`emsdk ${VERSION}: cloning and installing (a few hundred MB)`);
    run('git', ['clone', '--quiet', '--depth', '1', '--branch', VERSION, REPOSITORY, folder]);
    run(join(folder, 'emsdk'), ['install', VERSION]);
    run(join(folder, 'emsdk'), ['activate', VERSION]);
    writeFileSync(stamp, '');
  }
  return join(folder, 'upstream', 'emscripten');
}

function requireTools() {
  const missing = ['git', 'python3', 'xz'].filter((command) => capture(command, ['--version']) === undefined);
  if (missing.length === 0) return;
  const packages = missing.map((command) => (command === 'xz' ? 'xz-utils' : command)).join(' ');
  throw new SetupError(
    `the Emscripten SDK needs ${missing.join(', ')}\n  On Debian or Ubuntu: sudo apt-get install ${packages}`,
  );
}
