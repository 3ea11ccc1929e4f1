// Keeps the bytes of one file as they arrive, in whatever storage the browser has; what goes wrong there costs the next
// visit, never this one, and nothing here waits for a storage that does not answer.
import type { KeepingOff } from '../api';
import type { Range } from '../source/range';
import { type ByteStream, cancelling, type Pieces } from '../source/source';
import { CachedRanges } from './cached-ranges';
import { type CacheEntry, type Identity, type OpenEntry, reasonOf } from './entry';
import { inTime, STORAGE_PATIENCE } from './patience';
import { Pending } from './pending';
import { differ } from './revalidate';

/** So many bytes are written at once, ... */
const BATCH = 1024 * 1024;
/** ... or what has come in so many milliseconds: all that a loss of power can cost. */
const SOON = 500;
/** So many bytes at most wait in memory for a storage that does not answer. */
const MOST_PENDING = 32 * 1024 * 1024;

export interface Found {
  readonly identity: Identity;
  readonly ranges: CachedRanges;
}

export class FileCache {
  readonly #open: OpenEntry;
  readonly #pending = new Pending();
  #file: CacheEntry | null = null;
  #ranges: CachedRanges | null = null;
  /** Of a file that the engine has accepted, on this visit or an earlier one. */
  #identity: Identity | null = null;
  #off: KeepingOff | null = null;
  /** Whether the place is ready for records of this file. */
  #started = false;
  #streams = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What changes the storage happens one after another. */
  #work: Promise<void> = Promise.resolve();
  /** How many such changes have not been answered yet. */
  #unanswered = 0;
  /** The search for what another tab has written, while it goes on. */
  #renewing: Promise<void> | null = null;
  #closed = false;
  readonly #patience: number;

  /** `patience`: milliseconds after which nobody waits for the storage any more. */
  constructor(open: OpenEntry, patience = STORAGE_PATIENCE) {
    this.#open = open;
    this.#patience = patience;
  }

  /** Why what arrives is not kept; null where it is, or is about to be. */
  get off(): KeepingOff | null {
    if (this.#file?.lost) return 'deleted';
    if (this.#off !== null) return this.#off;
    return this.#file?.writable === false && !this.#isWhole() ? 'busy' : null;
  }

  /** Whether all that has arrived is in the storage. */
  get written(): boolean {
    if (this.#file?.writable === false) return this.#isWhole();
    return this.#started && this.#pending.size === 0 && this.#unanswered === 0;
  }

  #isWhole(): boolean {
    return this.#ranges !== null && this.#identity !== null && this.#ranges.endFrom(0) >= this.#identity.size;
  }

  /** Looks at what is kept already; null where nothing is, or where the storage does not answer in time. */
  async open(): Promise<Found | null> {
    const opening = this.#open();
    const file = await inTime(opening, this.#patience);
    if (file === undefined) {
      void opening.then((late) => this.#takeLate(late));
      return null;
    }
    if (typeof file === 'string') {
      this.#off = file;
      return null;
    }
    return this.#use(file);
  }

  /** The storage has answered after loading had gone on: what it keeps is used where it is of the same version. */
  #takeLate(file: CacheEntry | KeepingOff): void {
    if (typeof file === 'string') {
      this.#off ??= file;
      return;
    }
    if (this.#closed || this.#off !== null) {
      file.close();
      return;
    }
    this.#file = file;
    void this.#start();
  }

  #use(file: CacheEntry): Found | null {
    this.#file = file;
    this.#ranges = new CachedRanges(file, this.#patience);
    this.#started = file.writable && file.identity !== null;
    if (file.identity === null) return null;
    this.#identity = file.identity;
    return { identity: file.identity, ranges: this.#ranges };
  }

  /** What was kept is of another version: it goes, and this visit is as the first. */
  async startAnew(): Promise<void> {
    this.#identity = null;
    this.#started = false;
    this.#ranges = null;
    const file = this.#file;
    this.#file = null;
    if (!file?.writable) {
      this.#off = 'busy';
      return;
    }
    const emptied = this.#do(() => file.remove()).then(() => this.open());
    await inTime(
      emptied.then(() => this.#start()),
      this.#patience,
    );
  }

  /** The file is a model: what has arrived of it is kept, and what will. */
  async accept(identity: Identity): Promise<void> {
    if (this.#identity !== null) return;
    this.#identity = identity;
    await inTime(this.#start(), this.#patience);
  }

  /** Makes the storage ready for records, once it has answered and the file has been accepted. */
  async #start(): Promise<void> {
    const [file, identity] = [this.#file, this.#identity];
    if (file === null || identity === null || this.#started) return;
    if (file.identity !== null && isSame(file.identity, identity)) {
      this.#use(file);
    } else if (file.writable) {
      this.#ranges ??= new CachedRanges(file, this.#patience);
      await this.#do(async () => {
        await file.start(identity);
        this.#started = true;
      });
    }
    if (!file.writable) this.#pending.clear();
    await this.flush();
  }

  /** Deletes what is kept, and keeps no more on this visit. */
  async reject(): Promise<void> {
    const file = this.#file;
    this.#off ??= 'deleted';
    this.#file = null;
    this.#ranges = null;
    this.#pending.clear();
    if (file?.writable) await this.#do(() => file.remove());
  }

  /**
   * Where another tab was the writer: sees what it has written since, or takes its place if it is gone. Several calls at
   * once look once.
   */
  async renew(): Promise<void> {
    if (this.#file === null || this.#file.writable || this.#identity === null) return;
    this.#renewing ??= this.#renew(this.#file, this.#identity).finally(() => {
      this.#renewing = null;
    });
    await inTime(this.#renewing, this.#patience);
  }

  async #renew(before: CacheEntry, known: Identity): Promise<void> {
    const file = await this.#open();
    if (typeof file === 'string') return;
    const { identity } = file;
    if (this.#closed || this.#file !== before) file.close();
    else if (identity === null && before.identity !== null) {
      file.close();
      await this.reject();
    } else if (identity === null ? file.writable : isSame(identity, known)) {
      this.#use(file);
      if (identity === null) await this.#start();
    } else file.close();
  }

  missing(range: Range): Range[] {
    return this.#ranges?.missing(range) ?? [range];
  }

  /** Kept bytes from `at` on, not beyond `end`; null where there are none. */
  async read(at: number, end: number): Promise<Uint8Array | null> {
    return (await this.#ranges?.read(at, end)) ?? null;
  }

  /** A stream's pieces, each kept before it is handed on. */
  keep(stream: ByteStream): Pieces {
    return cancelling(this.#keep(stream), () => stream.pieces.return());
  }

  async *#keep({ begin, pieces }: ByteStream): Pieces {
    let at = begin;
    this.#streams++;
    try {
      for await (const piece of pieces) {
        this.#add(at, piece);
        at += piece.length;
        yield piece;
      }
    } finally {
      this.#streams--;
      if (this.#streams === 0) void this.flush();
    }
  }

  #add(begin: number, piece: Uint8Array): void {
    if (this.off !== null) return;
    this.#pending.add(begin, piece);
    if (this.#pending.size > MOST_PENDING) {
      this.#off = 'unanswered';
      this.#pending.clear();
      return;
    }
    if (!this.#started) return; // Held until the engine has accepted the file.
    if (this.#pending.size >= BATCH) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), SOON);
  }

  /** Writes what is pending. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#do(async () => {
      const [file, ranges] = [this.#file, this.#ranges];
      if (!this.#started || file === null || ranges === null) return;
      const runs = this.#pending.take().flatMap(({ begin, bytes }) =>
        ranges.missing({ begin, end: begin + bytes.length }).map((part) => ({
          begin: part.begin,
          bytes: bytes.subarray(part.begin - begin, part.end - begin),
        })),
      );
      if (runs.length > 0) ranges.add(await file.write(runs));
    });
  }

  /** Waits until what has arrived is written, no longer than a storage may take. */
  async settled(): Promise<void> {
    await inTime(this.flush(), this.#patience);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
    this.#file?.close();
  }

  /** After what was begun before. */
  #do(work: () => Promise<void>): Promise<void> {
    this.#unanswered++;
    this.#work = this.#work
      .then(work)
      .catch((error) => {
        this.#off ??= reasonOf(error);
        this.#pending.clear();
      })
      .finally(() => {
        this.#unanswered--;
      });
    return this.#work;
  }
}

/** Of the same URL. Where the server gives no version, nothing says so on the way. */
function isSame(a: Identity, b: Identity): boolean {
  return a.size === b.size && a.version !== null && !differ(a.version, b.version);
}
