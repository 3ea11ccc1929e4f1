// For tests in either browser: what a visitor's browser keeps of models, and workers that are denied a place for it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { root } from '../../../scripts/setup/paths.mjs';
import type { TestServer } from '../server/server.mjs';

export interface Kept {
  /** Bytes in files, and in caches. */
  readonly files: number;
  readonly caches: number;
}

/** What is kept now by the origin of a page, as the browser says and not the project's own list. */
export function keptBytes(page: Page): Promise<Kept> {
  return page.evaluate(async () => {
    type Folder = FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> };
    const sizeOf = async (folder: Folder): Promise<number> => {
      let size = 0;
      for await (const entry of folder.values()) {
        if (entry.kind === 'directory') size += await sizeOf(entry as Folder);
        else if (entry.name === 'data') size += (await (entry as FileSystemFileHandle).getFile()).size;
      }
      return size;
    };
    let inCaches = 0;
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of name.startsWith('headflow-model-') ? await cache.keys() : []) {
        inCaches += (await (await cache.match(request))?.blob())?.size ?? 0;
      }
    }
    return { files: await sizeOf((await navigator.storage.getDirectory()) as Folder), caches: inCaches };
  });
}

/** From now on the server's worker script runs `code` first: an init script of the tests' driver reaches pages only. */
export function beforeWorker(server: TestServer, code: string): void {
  const assets = join(root, 'dist', 'assets');
  const name = readdirSync(assets).find((file) => /^worker-.*\.js$/.test(file));
  if (name === undefined) throw new Error('dist/ has no worker');
  const script = readFileSync(join(assets, name));
  server.route(`assets/${name}`, { bytes: Buffer.concat([Buffer.from(`${code}\n`), script]), type: 'text/javascript' });
}

/** As in a private window of a browser that keeps no files there. */
export const NO_FILES = `Object.defineProperty(navigator.storage, 'getDirectory', {
  value: () => Promise.reject(new DOMException('denied', 'SecurityError')),
});`;

export const NO_CACHES = `Object.defineProperty(self, 'caches', { value: undefined });`;

/** As where the browser has room for a megabyte, and no more. */
export const SMALL_QUOTA = `{
  const { write } = FileSystemSyncAccessHandle.prototype;
  let left = 1024 * 1024;
  FileSystemSyncAccessHandle.prototype.write = function (bytes, options) {
    const written = write.call(this, bytes.subarray(0, left), options);
    left -= written;
    return written;
  };
}`;
