// How vite builds web/ into dist/, serves it for `npm run dev`, and how vitest finds the TypeScript tests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { precache } from './scripts/precache.mjs';
import { answerModels } from './scripts/serve.mjs';

const models = join(import.meta.dirname, 'models');

const rolldownOptions = {
  external: ['module', 'node:module'], // what Emscripten's module imports under Node alone
  checks: { pluginTimings: false },
};

interface ListedModel {
  readonly url: string;
  readonly manifest?: string;
  readonly stories?: string;
}

/** The models of models/models.json: the development server answers for the whole folder, dist/ gets those beside it. */
const ownModels: Plugin = {
  name: 'own-models',
  configureServer(server) {
    server.middlewares.use('/models', (request, response) => answerModels(request, response, request.url ?? '/'));
  },
  generateBundle() {
    const listed: ListedModel[] = JSON.parse(readFileSync(join(models, 'models.json'), 'utf8'));
    const named = listed.flatMap(({ url, manifest, stories }) =>
      [url, manifest, stories].filter((name) => name !== undefined),
    );
    const own = named.filter((name) => !URL.canParse(name));
    for (const name of ['models.json', ...own]) {
      this.emitFile({ type: 'asset', fileName: `models/${name}`, source: readFileSync(join(models, name)) });
    }
  },
};

const browsers = ['chromium', 'firefox'];

export default defineConfig({
  root: 'web',
  base: './',
  plugins: [ownModels, precache],
  worker: { format: 'es', rolldownOptions },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    assetsInlineLimit: 0,
    rolldownOptions,
  },
  server: { fs: { allow: ['..'] } },
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['**/*.test.ts'], exclude: ['test/browser/**'], testTimeout: 30_000 },
      },
      { extends: true, test: { name: 'command', root: import.meta.dirname, include: ['cpp/cli/*.test.ts'] } },
      ...browsers.map((browser) => ({
        extends: true as const,
        test: {
          name: browser,
          include: ['test/browser/**/*.test.ts'],
          exclude: browser === 'chromium' ? [] : ['**/*.chromium.test.ts'],
          env: { HEADFLOW_BROWSER: browser },
          // One process with one browser for all files: web/test/browser/browsers.ts.
          isolate: false,
          fileParallelism: false,
          testTimeout: 240_000,
          hookTimeout: 120_000,
        },
      })),
    ],
  },
});
