// Finds an Emscripten that is new enough, or brings one, and tells CMake where it is.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { candidateVersion, canInstall, debianCodename, install } from './apt.mjs';
import { privateEmscripten } from './emscripten-debian.mjs';
import { emsdk } from './emsdk.mjs';
import { toolchain } from './paths.mjs';
import { atLeast, capture, SetupError } from './run.mjs';

const OLDEST = '3.1.69';

export function findEmscripten() {
  const folder = onPath() ?? fromDistribution() ?? emsdk();
  const version = emscriptenVersion(join(folder, 'emcc'));
  if (version === undefined || !atLeast(version, OLDEST)) {
    throw new SetupError(`the Emscripten in ${folder} does not work: run its emcc --version to see why`);
  }
  writeToolchainFile(folder);
  return { folder, version };
}

function emscriptenVersion(emcc) {
  return /^emcc .*?(\d+\.\d+\.\d+)/.exec(capture(emcc, ['--version']) ?? '')?.[1];
}

function onPath() {
  const version = emscriptenVersion('emcc');
  if (version === undefined || !atLeast(version, OLDEST)) return undefined;
  return capture('em-config', ['EMSCRIPTEN_ROOT']);
}

function fromDistribution() {
  if (!canInstall()) return undefined;
  const candidate = candidateVersion('emscripten');
  if (candidate !== undefined && atLeast(candidate, OLDEST)) {
    install(['emscripten']);
    return onPath();
  }
  return debianCodename() === 'bookworm' ? privateEmscripten() : undefined;
}

/** What the presets name as their toolchain file, wherever Emscripten is. Rewritten only when it changes. */
function writeToolchainFile(folder) {
  const path = join(toolchain, 'emscripten.cmake');
  const text = `include("${join(folder, 'cmake', 'Modules', 'Platform', 'Emscripten.cmake')}")\n`;
  let present;
  try {
    present = readFileSync(path, 'utf8');
  } catch {
    mkdirSync(toolchain, { recursive: true });
  }
  if (present !== text) writeFileSync(path, text);
}
