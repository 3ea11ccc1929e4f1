// Brings a model for the page and the command, and checks it: npm run model -- gpt2 [--from URL] [--folder DIR]
//
// --from, or HEADFLOW_MODEL_URL: another address of the file. --folder: where it goes instead of models/.
// Exit codes: 0 it is there and all checks hold, 1 something failed, 2 wrong usage, 130 interrupted.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { DownloadError, download } from './model/download.mjs';
import { Progress } from './model/progress.mjs';
import { setUp } from './setup/main.mjs';
import { root } from './setup/paths.mjs';

const MODELS = {
  gpt2: {
    path: 'QuantFactory/gpt2-GGUF/gpt2.Q8_0.gguf',
    url: 'https://huggingface.co/QuantFactory/gpt2-GGUF/resolve/main/gpt2.Q8_0.gguf',
  },
};

const command = join(root, 'build', 'cli', 'headflow');

/** Something about the file is not as it should be. */
class CheckError extends Error {}

function usage(problem) {
  console.error(`${problem}\nUsage: npm run model -- ${Object.keys(MODELS).join('|')} [--from URL] [--folder DIR]`);
  process.exit(2);
}

function parse() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { from: { type: 'string' }, folder: { type: 'string' } },
    });
    const [name] = positionals;
    if (positionals.length !== 1 || !(name in MODELS)) usage(`no model of this name: ${positionals.join(' ')}`);
    const url = values.from ?? process.env.HEADFLOW_MODEL_URL ?? MODELS[name].url;
    if (!/^https?:/.test(url) || !URL.canParse(url)) usage(`no address of a web server: ${url}`);
    return { url, path: join(values.folder ?? join(root, 'models'), MODELS[name].path) };
  } catch (error) {
    if (String(error.code).startsWith('ERR_PARSE_ARGS')) return usage(error.message);
    throw error;
  }
}

async function bring(url, path) {
  if (existsSync(path)) {
    console.log(`${path} is there already; delete it to download it anew`);
    return;
  }
  const interrupted = new AbortController();
  const stop = () => interrupted.abort(new Error('interrupted'));
  process.on('SIGINT', stop).on('SIGTERM', stop);
  console.log(`Downloading ${url}`);
  const progress = new Progress();
  try {
    await download({ url, path, signal: interrupted.signal, onProgress: (have, size) => progress.show(have, size) });
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    console.error('\nInterrupted. What has come is kept: the same command goes on from there.');
    process.exit(130);
  } finally {
    progress.end();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

function headflow(...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return { ok: status === 0, stdout: stdout ?? '', stderr: stderr ?? '' };
}

/** The directory must be a GGUF file's, and the file as long as it says. */
function checkStructure(path) {
  const inspected = headflow('inspect', path, '--json');
  if (!inspected.ok) throw new CheckError(`its structure is not right: ${inspected.stderr.trim()}`);
  const { alignment, tensors } = JSON.parse(inspected.stdout);
  const end = Math.max(...Object.values(tensors).map(({ offset, size }) => offset + size));
  const padded = Math.ceil(end / alignment) * alignment;
  const { size } = statSync(path);
  if (size < end || size > padded) {
    throw new CheckError(`got ${size} bytes, expected ${end} to ${padded}, as its tensor directory says`);
  }
  console.log(`Structure: ${Object.keys(tensors).length} tensors; its ${size} bytes are those of its directory`);
}

async function sha256(path) {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

/** Notes the hash that was seen, in the form of sha256sum; later runs compare with it. */
async function recordHash(path, url) {
  const record = `${path}.sha256`;
  const seen = await sha256(path);
  if (existsSync(record)) {
    const [, noted] = /^([0-9a-f]{64}) /m.exec(readFileSync(record, 'utf8')) ?? [];
    if (noted !== seen) throw new CheckError(`SHA-256 is ${seen}, but ${noted} was noted when it came (${record})`);
    console.log(`SHA-256: ${seen}, as noted when it came`);
    return;
  }
  const note = [
    `# What was seen in the file that came from ${url}`,
    '# on the day of download. It was compared with nothing: this project knows no hash of the right file.',
  ];
  writeFileSync(record, `${note.join('\n')}\n${seen}  ${basename(path)}\n`);
  console.log(`SHA-256: ${seen}. This is what was seen, not a known-good hash: none is known here.`);
}

function verify(path) {
  const { ok, stdout, stderr } = headflow('verify', path);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  if (ok) return;
  throw new CheckError(
    'headflow verify found a difference (above). If it is in the published numbers, this file is not the model that ' +
      'they are of, or not the same quantization; if it is an identity, the file or this build is damaged',
  );
}

const { url, path } = parse();
if (!existsSync(command)) {
  setUp(['cli']);
  build(['cli']);
}
try {
  await bring(url, path);
  checkStructure(path);
  await recordHash(path, url);
  verify(path);
  console.log(`${relative(process.cwd(), path)} is ready; npm start offers it`);
} catch (error) {
  if (error instanceof DownloadError) {
    console.error(`${error.message}\nWhat has come is kept: the same command goes on from there.`);
  } else if (error instanceof CheckError) {
    console.error(`${path}: ${error.message}.\nThe file stays; delete it to download it anew.`);
  } else throw error;
  process.exitCode = 1;
}
