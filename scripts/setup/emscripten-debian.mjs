// Emscripten on Debian bookworm, whose own is too old: Debian 13's packages, unpacked into a private prefix.
//
// The compiler is bookworm's clang 19. Debian 13's binaryen needs a newer libc than the host's, so its tools are
// started through the prefix's own dynamic loader; nothing of the host changes but for the packages of clang.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { install, ownMirror, refreshLists } from './apt.mjs';
import { toolchain } from './paths.mjs';
import { run, step } from './run.mjs';

const HOST_RELEASE = 'bookworm';
const RELEASE = 'trixie';
const HOST_PACKAGES = ['clang-19', 'lld-19', 'llvm-19', 'python3'];
const PACKAGES = ['emscripten', 'binaryen', 'node-acorn', 'libc6', 'libstdc++6', 'libgcc-s1'];
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const LLVM = '/usr/lib/llvm-19/bin';
// Parts of the packages that nothing here uses: three quarters of their size.
const UNUSED = [
  '*/wasm32-emscripten/lto',
  '*/wasm32-emscripten/lto-pic',
  '*/wasm32-emscripten/pic',
  '*/emscripten/test',
];

const prefix = join(toolchain, 'emscripten');
const stamp = join(prefix, 'complete');
const home = join(prefix, 'usr', 'share', 'emscripten');

// Emscripten's configuration, in its own (Python) form. The packages' prebuilt libraries are used as they are.
const CONFIGURATION = `import shutil
LLVM_ROOT = "${LLVM}"
BINARYEN_ROOT = "${join(prefix, 'binaryen')}"
NODE_JS = shutil.which("node")
FROZEN_CACHE = True
`;

/** Unpacks Emscripten where that has not been done yet, and returns the folder that has emcc in it. */
export function privateEmscripten() {
  if (isComplete()) return home;
  rmSync(prefix, { recursive: true, force: true });
  mkdirSync(prefix, { recursive: true });
  install(HOST_PACKAGES);
  unpack(download());
  wrapBinaryen();
  // emcc's JavaScript optimizer imports acorn: Node looks in every node_modules above it.
  symlinkSync('nodejs', join(prefix, 'usr', 'share', 'node_modules'));
  // Its .js files are no ES modules, whatever the package.json further up says.
  writeFileSync(join(prefix, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(home, '.emscripten'), CONFIGURATION);
  writeFileSync(stamp, CONFIGURATION);
  return home;
}

// The stamp names absolute paths, so a prefix that was moved is made anew.
function isComplete() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === CONFIGURATION && existsSync(join(LLVM, 'wasm-ld'));
}

function download() {
  refreshLists();
  const apt = join(prefix, 'apt');
  for (const folder of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(apt, folder), { recursive: true });
  writeFileSync(join(apt, 'status'), '');
  const source = `deb [signed-by=${KEYRING}] ${ownMirror(HOST_RELEASE)} ${RELEASE} main\n`;
  writeFileSync(join(apt, 'sources.list'), source);
  const options = [
    `Dir::Etc::sourcelist=${join(apt, 'sources.list')}`,
    'Dir::Etc::sourceparts=-',
    `Dir::State=${apt}`,
    `Dir::State::status=${join(apt, 'status')}`,
    `Dir::Cache=${join(apt, 'cache')}`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  step(`apt: downloading Debian ${RELEASE}'s emscripten (about 250 MB)`);
  run('apt-get', [...options, 'update']);
  run('apt-get', [...options, 'download', ...PACKAGES], { cwd: apt });
  return apt;
}

function unpack(folder) {
  step('unpacking it into a private prefix');
  const exclude = UNUSED.map((pattern) => `--exclude='${pattern}'`).join(' ');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.deb'))) {
    run('sh', ['-c', `dpkg-deb --fsys-tarfile "$0" | tar -x -C "$1" ${exclude}`, join(folder, name), prefix]);
  }
  rmSync(folder, { recursive: true });
}

/** Puts, for each binaryen tool, a script in binaryen/bin that starts it with the prefix's loader and libraries. */
function wrapBinaryen() {
  const libraries = join(prefix, 'usr', 'lib');
  const triplet = readdirSync(libraries).find((name) => existsSync(join(libraries, name, 'libbinaryen.so')));
  const loader = readdirSync(join(libraries, triplet)).find((name) => name.startsWith('ld-linux'));
  const wrappers = join(prefix, 'binaryen', 'bin');
  mkdirSync(wrappers, { recursive: true });
  const tools = readdirSync(join(prefix, 'usr', 'bin')).filter((name) => name.startsWith('wasm'));
  for (const name of tools) {
    const script = [
      '#!/bin/sh',
      'here=$(dirname "$(readlink -f "$0")")/../../usr',
      `exec "$here/lib/${triplet}/${loader}" --library-path "$here/lib/${triplet}" --argv0 "$0" "$here/bin/${name}" "$@"`,
    ];
    writeFileSync(join(wrappers, name), `${script.join('\n')}\n`);
    chmodSync(join(wrappers, name), 0o755);
  }
}
