// What is kept of which models, and deleting it: for the page, whatever its worker is doing.
import { CACHE_PREFIX, describe, recordsOf } from './cache-api';
import { type Directory, folderOf, modelDirectory, readIndex, removeFolder } from './directory';
import { takeLock } from './lock';

export interface KeptModel {
  readonly id: string;
  readonly url: string;
  /** Bytes that are kept, and those of the whole file. */
  readonly kept: number;
  readonly size: number;
  /** When a page last opened it. */
  readonly used: Date;
}

/** The last used first; none where the browser keeps nothing. */
export async function listKept(): Promise<KeptModel[]> {
  const lists = await Promise.allSettled([listDirectory(), listCaches()]);
  const models = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  return models.sort((a, b) => b.used.getTime() - a.used.getTime());
}

/** Deletes what is kept of one model; a page that keeps it keeps no more of it. Rejects with the browser's error. */
export async function deleteKept({ id }: Pick<KeptModel, 'id'>): Promise<void> {
  await takeLock(id, async () => {
    const directory = await modelDirectory().catch(() => null);
    if (directory !== null) await removeFolder(directory, id);
    await globalThis.caches?.delete(CACHE_PREFIX + id).catch(() => undefined);
  });
}

/** Deletes everything that is kept, also what can't be read any more. */
export async function deleteAllKept(): Promise<void> {
  const directory = await modelDirectory().catch(() => null);
  const names = directory === null ? [] : await namesIn(directory);
  const ids = new Set([...names, ...(await cacheIds().catch(() => []))]);
  for (const id of ids) await deleteKept({ id });
}

async function namesIn(directory: Directory): Promise<string[]> {
  const names: string[] = [];
  for await (const name of directory.keys()) names.push(name);
  return names;
}

async function listDirectory(): Promise<KeptModel[]> {
  const directory = await modelDirectory();
  const models: KeptModel[] = [];
  for (const id of await namesIn(directory)) {
    const folder = await folderOf(directory, id);
    const index = folder && (await readIndex(folder).catch(() => null));
    if (!index) continue;
    const { url, size } = index.identity;
    models.push({ id, url, size, kept: sumOf(index.records), used: new Date(index.used) });
  }
  return models;
}

const cacheIds = async (): Promise<string[]> =>
  (await caches.keys()).filter((name) => name.startsWith(CACHE_PREFIX)).map((name) => name.slice(CACHE_PREFIX.length));

async function listCaches(): Promise<KeptModel[]> {
  const models: KeptModel[] = [];
  for (const id of await cacheIds()) {
    const cache = await caches.open(CACHE_PREFIX + id);
    const description = await describe(cache);
    if (description === null) continue;
    const { url, size } = description.identity;
    models.push({ id, url, size, kept: sumOf(await recordsOf(cache)), used: new Date(description.used) });
  }
  return models;
}

const sumOf = (records: readonly { length: number }[]): number => records.reduce((sum, { length }) => sum + length, 0);
