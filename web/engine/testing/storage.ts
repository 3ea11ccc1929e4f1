// For tests: a browser's private file system, locks and caches in memory, with a quota, as far as keeping uses them.
import type { AccessHandle, Directory, FileEntry } from '../cache/directory';

const failure = (name: string): DOMException => new DOMException(name, name);

/** How many bytes may still be written, to all files together. */
export class Quota {
  left = Number.POSITIVE_INFINITY;

  take(wanted: number): number {
    const taken = Math.min(wanted, this.left);
    this.left -= taken;
    return taken;
  }
}

export class FakeFile implements FileEntry {
  bytes = new Uint8Array(0);
  open = false;

  constructor(readonly quota: Quota) {}

  async getFile(): Promise<Blob> {
    return new Blob([this.bytes.slice()]);
  }

  async createSyncAccessHandle(): Promise<AccessHandle> {
    if (this.open) throw failure('NoModificationAllowedError');
    this.open = true;
    return new FakeHandle(this);
  }
}

export class FakeHandle implements AccessHandle {
  readonly #file: FakeFile;
  #closed = false;

  constructor(file: FakeFile) {
    this.#file = file;
  }

  #opened(): FakeFile {
    if (this.#closed) throw failure('InvalidStateError');
    return this.#file;
  }

  read(into: Uint8Array<ArrayBuffer>, { at }: { at: number }): number {
    const part = this.#opened().bytes.subarray(at, at + into.length);
    into.set(part);
    return part.length;
  }

  write(bytes: Uint8Array<ArrayBuffer>, { at }: { at: number }): number {
    const file = this.#opened();
    const end = Math.max(file.bytes.length, at + bytes.length);
    const room = file.quota.take(end - file.bytes.length);
    const written = bytes.subarray(0, bytes.length - (end - file.bytes.length - room));
    const grown = new Uint8Array(file.bytes.length + room);
    grown.set(file.bytes);
    grown.set(written, at);
    file.bytes = grown;
    return written.length;
  }

  getSize(): number {
    return this.#opened().bytes.length;
  }

  truncate(size: number): void {
    this.#opened().bytes = this.#opened().bytes.slice(0, size);
  }

  flush(): void {
    this.#opened();
  }

  close(): void {
    if (!this.#closed) this.#file.open = false;
    this.#closed = true;
  }
}

export class FakeDirectory implements Directory {
  readonly folders = new Map<string, FakeDirectory>();
  readonly files = new Map<string, FakeFile>();

  constructor(readonly quota = new Quota()) {}

  async getDirectoryHandle(name: string, { create = false } = {}): Promise<FakeDirectory> {
    const found = this.folders.get(name) ?? (create ? new FakeDirectory(this.quota) : undefined);
    if (found === undefined) throw failure('NotFoundError');
    this.folders.set(name, found);
    return found;
  }

  async getFileHandle(name: string, { create = false } = {}): Promise<FakeFile> {
    const found = this.files.get(name) ?? (create ? new FakeFile(this.quota) : undefined);
    if (found === undefined) throw failure('NotFoundError');
    this.files.set(name, found);
    return found;
  }

  async removeEntry(name: string): Promise<void> {
    const folder = this.folders.get(name);
    if (folder === undefined) throw failure('NotFoundError');
    if ([...folder.files.values()].some(({ open }) => open)) throw failure('NoModificationAllowedError');
    this.folders.delete(name);
    folder.files.clear();
  }

  async *keys(): AsyncIterableIterator<string> {
    yield* this.folders.keys();
  }

  /** The only file of that name, one folder below. */
  file(name: string): FakeFile {
    const [folder] = this.folders.values();
    const file = folder?.files.get(name);
    if (file === undefined) throw new Error(`no file ${name}`);
    return file;
  }
}

/** Web Locks, of which `ifAvailable` and `steal` are used. */
export class FakeLocks {
  readonly #held = new Map<string, (error: unknown) => void>();

  async request<T>(
    name: string,
    { steal = false }: { ifAvailable?: boolean; steal?: boolean },
    work: (lock: object | null) => T | Promise<T>,
  ): Promise<T> {
    const holder = this.#held.get(name);
    if (holder !== undefined && !steal) return work(null);
    holder?.(failure('AbortError'));
    let taken: (error: unknown) => void = () => undefined;
    const lost = new Promise<never>((_, reject) => {
      taken = reject;
    });
    this.#held.set(name, taken);
    try {
      return await Promise.race([lost, work({})]);
    } finally {
      if (this.#held.get(name) === taken) this.#held.delete(name);
    }
  }
}

/** The Cache API, for addresses only. */
export class FakeCaches {
  readonly stores = new Map<string, Map<string, Response>>();

  async keys(): Promise<string[]> {
    return [...this.stores.keys()];
  }

  async has(name: string): Promise<boolean> {
    return this.stores.has(name);
  }

  async delete(name: string): Promise<boolean> {
    return this.stores.delete(name);
  }

  async open(name: string) {
    const store = this.stores.get(name) ?? new Map<string, Response>();
    this.stores.set(name, store);
    return {
      keys: async () => Array.from(store.keys(), (url) => ({ url })),
      match: async (url: string) => store.get(url)?.clone(),
      put: async (url: string, response: Response) => void store.set(url, response),
      delete: async (url: string) => store.delete(url),
    };
  }
}
