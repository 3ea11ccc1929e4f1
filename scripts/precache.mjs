// A plugin of vite: the service worker of a built page, with the list of the page's files.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { build } from 'vite';
import { CARRIED_FONT } from './lib/page-fonts.mjs';
import { root } from './setup/paths.mjs';

/** What a page is made of; models are not, nor is what the build says about itself. */
const OF_THE_PAGE = /^(?!\.vite\/|models\/).*\.(html|js|wasm|css|svg)$/;

/** Files whose names hold a hash of their content. */
const HASHED = /^assets\//;

/** Every file of the page in `folder`, with the hash that it must have. */
export function pageFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).map((name) => name.split(sep).join('/'));
  return names
    .filter((name) => (OF_THE_PAGE.test(name) || CARRIED_FONT.test(name)) && name !== 'sw.js')
    .sort()
    .map((name) => {
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('base64');
      return { url: name, revision: HASHED.test(name) ? null : hash, integrity: `sha256-${hash}` };
    });
}

/** Writes sw.js beside the page. */
export const precache = {
  name: 'precache',
  apply: 'build',
  async writeBundle({ dir }) {
    await build({
      configFile: false,
      root: join(root, 'web'),
      logLevel: 'warn',
      define: { PAGE_FILES: JSON.stringify(pageFiles(dir)), 'process.env.NODE_ENV': '"production"' },
      build: {
        outDir: dir,
        emptyOutDir: false,
        target: 'es2022',
        rolldownOptions: {
          input: join(root, 'web', 'offline', 'worker.ts'),
          output: { format: 'iife', entryFileNames: 'sw.js' },
          checks: { pluginTimings: false },
        },
      },
    });
  },
};
