// What the builds need from the system: how to tell that it is there, and which package brings it.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { candidateVersion, canInstall, hasApt, install, refreshLists } from './apt.mjs';
import { firstExisting, toolchain } from './paths.mjs';
import { capture, isRoot, SetupError, step, which } from './run.mjs';

/** Where headers of libraries may lie. */
export const INCLUDE_FOLDERS = [
  '/usr/include',
  '/usr/local/include',
  '/opt/homebrew/include',
  '/opt/homebrew/opt/openssl@3/include', // Homebrew keeps it apart
];
const CHROMIUMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FIREFOXES = ['firefox-esr', 'firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'];
const CLANG_TOOLS = '19';

const works = (command) => capture(command, ['--version']) !== undefined;
const header = (path) => firstExisting(...INCLUDE_FOLDERS.map((folder) => join(folder, path)));

/** The Chromium that the browser tests use: $CHROMIUM, or one on PATH. */
export function findChromium() {
  for (const command of [process.env.CHROMIUM, ...CHROMIUMS]) {
    const path = command && which(command);
    if (path) return path;
  }
  return undefined;
}

/** The Firefox that the browser tests use: $FIREFOX, or one on PATH that starts (Ubuntu's may only name its snap). */
export function findFirefox() {
  for (const command of [process.env.FIREFOX, ...FIREFOXES]) {
    const path = command && which(command);
    if (path && works(path)) return path;
  }
  return undefined;
}

/** clang-format or clang-tidy of the version that the project is formatted with: others format differently. */
export const findClangTool = (name) =>
  [`${name}-${CLANG_TOOLS}`, name].find((command) =>
    capture(command, ['--version'])?.includes(`version ${CLANG_TOOLS}.`),
  );

const NEEDS = {
  build: [
    { what: 'CMake', found: () => works('cmake'), apt: 'cmake', brew: 'cmake' },
    { what: 'Ninja', found: () => works('ninja'), apt: 'ninja-build', brew: 'ninja' },
    {
      what: 'nlohmann/json',
      found: () => header('nlohmann/json.hpp'),
      apt: 'nlohmann-json3-dev',
      brew: 'nlohmann-json',
    },
  ],
  page: [{ what: 'Python 3 (Emscripten runs on it)', found: () => works('python3'), apt: 'python3', brew: 'python3' }],
  cli: [
    { what: 'a C++ compiler', found: () => works('c++'), apt: 'g++', brew: 'llvm' },
    { what: 'SIMDe', found: () => header('simde/wasm/simd128.h'), apt: 'libsimde-dev', brew: 'simde' },
    { what: 'zlib', found: () => !hasApt() || header('zlib.h'), apt: 'zlib1g-dev' },
    { what: 'OpenSSL', found: () => header('openssl/evp.h'), apt: 'libssl-dev', brew: 'openssl@3' },
    { what: 'CLI11', found: () => header('CLI/CLI.hpp'), apt: 'libcli11-dev', brew: 'cli11' },
  ],
  test: [
    {
      what: "GoogleTest's source",
      found: () => !hasApt() || existsSync('/usr/src/googletest/CMakeLists.txt'),
      apt: 'googletest',
    },
    {
      what: `clang-format ${CLANG_TOOLS}`,
      found: () => findClangTool('clang-format'),
      apt: `clang-format-${CLANG_TOOLS}`,
      brew: `llvm@${CLANG_TOOLS}`,
    },
    {
      what: `clang-tidy ${CLANG_TOOLS}`,
      found: () => findClangTool('clang-tidy'),
      apt: `clang-tidy-${CLANG_TOOLS}`,
      brew: `llvm@${CLANG_TOOLS}`,
    },
  ],
  browser: [
    { what: 'Chromium', found: findChromium, apt: 'chromium', brew: '--cask chromium' },
    {
      what: 'Firefox',
      found: findFirefox,
      apt: 'firefox-esr',
      brew: '--cask firefox',
      // Ubuntu has it only as a snap, which not every machine can run.
      withoutApt: 'its tests are left out. Install it with: sudo snap install firefox',
    },
  ],
};

/** Installs what is missing for these purposes (as root, with apt), or says what to install and how. */
export function installSystemPackages(purposes) {
  const needs = ['build', ...purposes].flatMap((purpose) => NEEDS[purpose]);
  const missing = () => needs.filter((need) => !need.found() && !isDispensable(need));
  const first = missing();
  if (first.length > 0 && canInstall()) install(first.map((need) => need.apt));
  const still = first.length > 0 ? missing() : [];
  if (still.length > 0) throw new SetupError(explain(still));
  if (purposes.includes('page')) linkHeaders();
}

/** A need that apt does not know and that can be done without: says what then happens. */
function isDispensable(need) {
  if (!need.withoutApt || !hasApt()) return false;
  if (canInstall()) refreshLists();
  if (candidateVersion(need.apt) !== undefined) return false;
  step(`${need.what} is not among this system's packages: ${need.withoutApt}`);
  return true;
}

function explain(missing) {
  const names = missing.map((need) => need.what).join(', ');
  const manager = hasApt() ? 'apt' : 'brew';
  const packages = [...new Set(missing.map((need) => need[manager]).filter(Boolean))].join(' ');
  const sudo = isRoot() ? '' : 'sudo ';
  const command = hasApt() ? `${sudo}apt-get install --no-install-recommends ${packages}` : `brew install ${packages}`;
  return `missing: ${names}\n  Install with: ${command}`;
}

/** Gives the headers that WebAssembly builds use a folder of their own, since theirs holds the system's too. */
function linkHeaders() {
  const link = join(toolchain, 'include', 'nlohmann');
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(dirname(header('nlohmann/json.hpp')), link);
}
