// Chooses where a model file's ranges are cached: the best storage that this browser has.
import type { KeepingOff } from '../api';
import { openInCache } from './cache-api';
import { type Directory, modelDirectory } from './directory';
import { type CacheEntry, reasonOf } from './entry';
import { openInDirectory } from './opfs';

/** What is kept of the file at `url`, in the best place that this browser has. For workers. */
export async function openEntry(url: string): Promise<CacheEntry | KeepingOff> {
  if (!globalThis.isSecureContext) return 'insecure';
  const places = [
    async () => openInDirectory(await writableDirectory(), url),
    async () => openInCache(globalThis.caches, url),
  ];
  let reason: KeepingOff = 'denied';
  for (const open of places) {
    try {
      return await open();
    } catch (error) {
      reason = reasonOf(error);
    }
  }
  return reason;
}

/** Rejects where files can be made but not written to. */
async function writableDirectory(): Promise<Directory> {
  if (!('createSyncAccessHandle' in FileSystemFileHandle.prototype)) throw new Error('no access to files');
  return modelDirectory();
}
