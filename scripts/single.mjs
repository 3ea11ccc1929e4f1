// Builds the one-file page: node scripts/single.mjs -> dist-single/headflow.html
//
// Script, worker, engine, fonts and the embedded model are in one HTML file that fetches nothing, so it works from a disk.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { CARRIED_FONT } from './lib/page-fonts.mjs';
import { root } from './setup/paths.mjs';

const folder = join(root, 'dist-single');

const rolldownOptions = {
  external: ['module', 'node:module'], // what Emscripten's module imports under Node alone
  checks: { pluginTimings: false },
};

/** Emscripten's module names its WebAssembly itself; the engine hands it over, and one copy is enough. */
const ONCE = {
  name: 'webassembly-once',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/build/wasm/headflow.js')) return null;
    const slim = code.replace('new URL("headflow.wasm",import.meta.url).href', '"headflow.wasm"');
    if (slim === code) throw new Error(`${id}: expected it to name headflow.wasm`);
    return slim;
  },
};

async function bundle() {
  const { output } = await build({
    configFile: false,
    root: join(root, 'web'),
    logLevel: 'warn',
    plugins: [ONCE],
    worker: { format: 'iife', plugins: () => [ONCE], rolldownOptions },
    build: {
      write: false,
      target: 'es2022',
      assetsInlineLimit: (file) => !/\.woff2$/.test(file) || CARRIED_FONT.test(file),
      cssCodeSplit: false,
      rolldownOptions: {
        ...rolldownOptions,
        checks: { ...rolldownOptions.checks, emptyImportMeta: false }, // of preloads, which one file has none of
        input: join(root, 'web', 'single', 'main.ts'),
        output: { format: 'iife', codeSplitting: false },
      },
    },
  });
  const only = (test, what) => {
    const found = output.filter(test);
    if (found.length !== 1) throw new Error(`expected one ${what}, got ${found.map(({ fileName }) => fileName)}`);
    return found[0];
  };
  const script = only(({ type }) => type === 'chunk', 'script').code;
  const styles = only(({ fileName }) => fileName.endsWith('.css'), 'style sheet').source;
  return { script, styles: withoutFiles(String(styles)) };
}

/** Fonts that are not carried go: there is no file to load them from. */
const withoutFiles = (styles) =>
  styles.replace(/@font-face\s*\{[^}]*\}/g, (face) => (/url\(\s*["']?data:/.test(face) ? face : ''));

/** As part of a classic inline script: nothing in it may end or comment out the element. */
const inline = (script) => script.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '\\x3C!--');

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Styles and scripts are these alone; models may come from any server, once asked for. */
const policy = (script, styles) =>
  [
    "default-src 'none'",
    `script-src ${hash(script)} 'wasm-unsafe-eval'`,
    `style-src ${hash(styles)}`,
    'font-src data:',
    'img-src data: blob:',
    'connect-src data: https:',
    'worker-src blob:',
  ].join('; ');

/** The models of models/models.json that lie beside it. */
function ownModels() {
  const listed = JSON.parse(readFileSync(join(root, 'models', 'models.json'), 'utf8'));
  const own = listed.filter(({ url }) => !URL.canParse(url));
  return own.map(({ id, name, url, stories }) => ({
    about: { id, name, url, stories: stories && JSON.parse(readFileSync(join(root, 'models', stories), 'utf8')) },
    file: join(root, 'models', url),
  }));
}

function modelBlock({ about: facts, file }) {
  const about = JSON.stringify(facts).replaceAll('&', '&amp;').replaceAll("'", '&#39;');
  const data = readFileSync(file).toString('base64');
  return `<script type="application/octet-stream" data-model='${about}'>${data}</script>`;
}

/** The page of web/index.html, with what it links to inside. */
function page({ script, styles }) {
  const icon = readFileSync(join(root, 'web', 'icon.svg')).toString('base64');
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy(script, styles)}">`;
  const html = readFileSync(join(root, 'web', 'index.html'), 'utf8');
  return [
    ['<meta charset="utf-8">', `<meta charset="utf-8">\n    ${meta}`],
    ['href="./icon.svg"', `href="data:image/svg+xml;base64,${icon}"`],
    ['<link rel="stylesheet" href="./ui/fonts.css">', `<style>${styles}</style>`],
    [/ *<script type="module".*<\/script>\n/, ''],
    ['</body>', `${[...ownModels().map(modelBlock), `<script>${script}</script>`].join('\n')}\n  </body>`],
  ].reduce((text, [place, part]) => {
    const replaced = text.replace(place, () => part);
    if (replaced === text) throw new Error(`web/index.html: expected ${place}`);
    return replaced;
  }, html);
}

/** What the file may weigh: base64 makes a third more of the models, and the rest has a megabyte and a little. */
const largest = () => 1.4 * ownModels().reduce((sum, { file }) => sum + statSync(file).size, 0) + 1e6;

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

const { script, styles } = await bundle();
const html = page({ script: inline(script), styles });
const size = Buffer.byteLength(html);
if (size > largest())
  throw new Error(`the one-file page has ${megabytes(size)}, expected at most ${megabytes(largest())}`);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'headflow.html'), html);
console.log(`dist-single/headflow.html: ${megabytes(size)}`);
