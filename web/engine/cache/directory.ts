// The origin private file system, as far as it is used here: a folder per kept file. For any thread but where it says.
import { decodeIndex, type Index } from './index-file';

/** What is used of FileSystemDirectoryHandle, ... */
export interface Directory {
  getDirectoryHandle(name: string, options?: { create?: boolean }): Promise<Directory>;
  getFileHandle(name: string, options?: { create?: boolean }): Promise<FileEntry>;
  removeEntry(name: string, options?: { recursive?: boolean }): Promise<void>;
  keys(): AsyncIterableIterator<string>;
}

/** ... of FileSystemFileHandle, which has the second only in workers, ... */
export interface FileEntry {
  getFile(): Promise<Blob>;
  createSyncAccessHandle(): Promise<AccessHandle>;
}

/** ... and of FileSystemSyncAccessHandle. */
export interface AccessHandle {
  read(into: Uint8Array<ArrayBuffer>, options: { at: number }): number;
  write(bytes: Uint8Array<ArrayBuffer>, options: { at: number }): number;
  getSize(): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}

export const DATA = 'data';
export const INDEX = 'index';
const ATTEMPTS = 20;
const PAUSE = 50;

/** The folder of all kept files; rejects where the browser has or gives none. */
export async function modelDirectory(): Promise<Directory> {
  const top = (await navigator.storage.getDirectory()) as unknown as Directory;
  return top.getDirectoryHandle('headflow-models', { create: true });
}

/** The folder of that name, null if there is none. */
export async function folderOf(models: Directory, name: string): Promise<Directory | null> {
  try {
    return await models.getDirectoryHandle(name);
  } catch (error) {
    if (isNamed(error, 'NotFoundError')) return null;
    throw error;
  }
}

/** The index in a folder, null where there is none that was written to the end. */
export async function readIndex(folder: Directory): Promise<(Index & { readonly dataSize: number }) | null> {
  const { size } = await (await folder.getFileHandle(DATA)).getFile();
  const file = await (await folder.getFileHandle(INDEX)).getFile();
  const index = decodeIndex(new Uint8Array(await file.arrayBuffer()), size);
  return index && { ...index, dataSize: size };
}

export function removeFolder(models: Directory, name: string): Promise<void> {
  return patiently(async () => {
    if ((await folderOf(models, name)) !== null) await models.removeEntry(name, { recursive: true });
  });
}

/** For workers. */
export const openHandle = (file: FileEntry): Promise<AccessHandle> => patiently(() => file.createSyncAccessHandle());

/** A tab that has just been closed holds its files for a moment longer than its lock. */
async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS; ; --left) {
    try {
      return await act();
    } catch (error) {
      if (left === 0 || !isNamed(error, 'NoModificationAllowedError')) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

export function writeAll(handle: AccessHandle, bytes: Uint8Array<ArrayBuffer>, at: number): void {
  // Chromium may give 2^32 minus an error's number in the place of a length.
  if (handle.write(bytes, { at }) !== bytes.length) throw new DOMException('no room is left', 'QuotaExceededError');
}

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;
