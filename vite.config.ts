// How vite builds web/ into dist/, serves it for `npm run dev`, and how vitest finds the TypeScript tests.
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { answer } from './scripts/serve.mjs';

const models = join(import.meta.dirname, 'models');

/** The development server answers /models/ as scripts/serve.mjs does. */
const serveModels: Plugin = {
  name: 'serve-models',
  configureServer(server) {
    server.middlewares.use('/models', (request, response) => answer(request, response, request.url ?? '/', models));
  },
};

export default defineConfig({
  root: 'web',
  base: './',
  plugins: [serveModels],
  worker: { format: 'es' },
  build: { outDir: '../dist', emptyOutDir: true, target: 'es2022', manifest: true, assetsInlineLimit: 0 },
  server: { fs: { allow: ['..'] } },
  test: {
    projects: [
      { extends: true, test: { name: 'unit', include: ['**/*.test.ts'], exclude: ['test/browser/**'] } },
      { extends: true, test: { name: 'command', root: import.meta.dirname, include: ['cpp/cli/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
