// Kept ranges in the origin private file system: a folder per file, with its data, which only grows, and an index.
import { crc32 } from './checksum';
import {
  type AccessHandle,
  DATA,
  type Directory,
  folderOf,
  INDEX,
  openHandle,
  readIndex,
  removeFolder,
  writeAll,
} from './directory';
import type { CacheEntry, Identity, Run } from './entry';
import {
  decodeIndex,
  ENTRY_SIZE,
  encodeEntries,
  encodeHead,
  encodeUsed,
  type Index,
  type IndexedRecord,
  USED_AT,
} from './index-file';
import { keyOf } from './key';
import { holdLock } from './lock';

/** What is kept of the file at `url`; this tab writes if no other does. Rejects where the browser can't keep it so. */
export async function openInDirectory(models: Directory, url: string): Promise<CacheEntry> {
  const name = await keyOf(url);
  let taken: () => void = () => undefined;
  const release = await holdLock(name, () => taken());
  if (release === null) return ReadOnlyEntry.open(models, name);
  try {
    const file = await WritableEntry.open(models, name, release);
    taken = () => file.lose();
    return file;
  } catch (error) {
    release();
    throw error;
  }
}

/** As the one writer sees it. */
class WritableEntry implements CacheEntry {
  readonly writable = true;
  lost = false;
  readonly #models: Directory;
  readonly #name: string;
  readonly #release: () => void;
  #data: AccessHandle | null = null;
  #indexHandle: AccessHandle | null = null;
  #index: Index | null = null;
  #end = 0;
  #dataEnd = 0;

  static async open(models: Directory, name: string, release: () => void): Promise<WritableEntry> {
    const file = new WritableEntry(models, name, release);
    const folder = await folderOf(models, name);
    if (folder !== null) await file.#openFiles(folder);
    return file;
  }

  private constructor(models: Directory, name: string, release: () => void) {
    this.#models = models;
    this.#name = name;
    this.#release = release;
  }

  get identity(): Identity | null {
    return this.#index?.identity ?? null;
  }

  get records(): readonly IndexedRecord[] {
    return this.#index?.records ?? [];
  }

  async #openFiles(folder: Directory): Promise<void> {
    try {
      this.#data = await openHandle(await folder.getFileHandle(DATA, { create: true }));
      this.#indexHandle = await openHandle(await folder.getFileHandle(INDEX, { create: true }));
      const bytes = new Uint8Array(this.#indexHandle.getSize());
      this.#indexHandle.read(bytes, { at: 0 });
      this.#index = decodeIndex(bytes, this.#data.getSize());
      this.#end = this.#index?.end ?? 0;
      this.#dataEnd = this.#index?.dataEnd ?? 0;
      if (this.#index !== null) this.#indexHandle.write(encodeUsed(Date.now()), { at: USED_AT });
    } catch (error) {
      this.#closeFiles();
      throw error;
    }
  }

  async read({ position, length }: IndexedRecord, begin: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(Math.min(end, length) - begin);
    return bytes.subarray(0, this.#opened(this.#data).read(bytes, { at: position + begin }));
  }

  async start(identity: Identity): Promise<void> {
    if (this.#data === null) await this.#openFiles(await this.#models.getDirectoryHandle(this.#name, { create: true }));
    const index = this.#opened(this.#indexHandle);
    index.truncate(0);
    index.flush();
    this.#opened(this.#data).truncate(0);
    const head = encodeHead(identity, Date.now());
    writeAll(index, head, 0);
    index.flush();
    this.#end = head.length;
    this.#dataEnd = 0;
  }

  async write(runs: readonly Run[]): Promise<IndexedRecord[]> {
    const [data, index] = [this.#opened(this.#data), this.#opened(this.#indexHandle)];
    let [position, entryAt] = [this.#dataEnd, this.#end];
    const records: IndexedRecord[] = [];
    for (const { begin, bytes } of runs) {
      writeAll(data, bytes, position);
      records.push({ begin, length: bytes.length, checksum: crc32(bytes), position, entryAt });
      position += bytes.length;
      entryAt += ENTRY_SIZE;
    }
    data.flush();
    writeAll(index, encodeEntries(records), this.#end);
    index.flush();
    [this.#dataEnd, this.#end] = [position, entryAt];
    return records;
  }

  async forget({ entryAt }: IndexedRecord): Promise<void> {
    writeAll(this.#opened(this.#indexHandle), new Uint8Array(ENTRY_SIZE), entryAt);
  }

  async remove(): Promise<void> {
    this.#closeFiles();
    try {
      await removeFolder(this.#models, this.#name);
    } finally {
      this.#release();
    }
  }

  close(): void {
    this.#closeFiles();
    this.#release();
  }

  /** The lock was taken: the folder is about to be deleted. */
  lose(): void {
    this.lost = true;
    this.#closeFiles();
  }

  #closeFiles(): void {
    this.#data?.close();
    this.#indexHandle?.close();
    this.#data = null;
    this.#indexHandle = null;
  }

  #opened(handle: AccessHandle | null): AccessHandle {
    if (handle === null) throw new DOMException('closed', 'InvalidStateError');
    return handle;
  }
}

/** As other tabs see it: what was there when they looked. */
class ReadOnlyEntry implements CacheEntry {
  readonly writable = false;
  readonly lost = false;
  readonly identity: Identity | null;
  readonly records: readonly IndexedRecord[];
  readonly #folder: Directory | null;

  static async open(models: Directory, name: string): Promise<CacheEntry> {
    const folder = await folderOf(models, name);
    return new ReadOnlyEntry(folder, folder && (await readIndex(folder)));
  }

  private constructor(folder: Directory | null, index: Index | null) {
    this.#folder = folder;
    this.identity = index?.identity ?? null;
    this.records = index?.records ?? [];
  }

  /** Looks at the file anew: a snapshot can't be read any more once the writer has gone on. */
  async read({ position, length }: IndexedRecord, begin: number, end: number): Promise<Uint8Array> {
    const data = await this.#folder?.getFileHandle(DATA);
    const file = await data?.getFile();
    const part = file?.slice(position + begin, position + Math.min(end, length));
    return new Uint8Array((await part?.arrayBuffer()) ?? new ArrayBuffer(0));
  }

  start = denied;
  write = denied;
  forget = denied;
  remove = denied;

  close(): void {}
}

async function denied(): Promise<never> {
  throw new DOMException('another tab is writing', 'NoModificationAllowedError');
}
