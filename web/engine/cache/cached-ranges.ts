// Which bytes of a file are kept, and reading them: a record counts once its checksum has been found right.
import type { Range } from '../source/range';
import { crc32 } from './checksum';
import type { CacheEntry, CacheRecord } from './entry';
import { inTime, STORAGE_PATIENCE } from './patience';

export class CachedRanges {
  readonly #file: CacheEntry;
  /** By their beginning. */
  readonly #records: CacheRecord[];
  readonly #checked = new WeakSet<CacheRecord>();

  /** Whether the storage has stopped answering: then nothing more is read. */
  #silent = false;
  readonly #patience: number;

  constructor(file: CacheEntry, patience = STORAGE_PATIENCE) {
    this.#file = file;
    this.#patience = patience;
    this.#records = [...file.records].sort((a, b) => a.begin - b.begin);
  }

  /** Records that this tab has just written. */
  add(records: readonly CacheRecord[]): void {
    for (const record of records) {
      this.#checked.add(record);
      this.#records.splice(this.#after(record.begin), 0, record);
    }
  }

  /** The end of the kept bytes that begin at `at`; `at` itself where it isn't kept. */
  endFrom(at: number): number {
    let end = at;
    for (let record = this.#covering(end); record; record = this.#covering(end)) end = record.begin + record.length;
    return end;
  }

  /** The parts of a range that are not kept. */
  missing({ begin, end }: Range): Range[] {
    const parts: Range[] = [];
    for (let at = this.endFrom(begin); at < end; ) {
      const next = Math.min(end, this.#records[this.#after(at)]?.begin ?? end);
      parts.push({ begin: at, end: next });
      at = this.endFrom(next);
    }
    return parts;
  }

  /** The last `length` kept bytes, or as many as there are in one piece. */
  last(length: number): Range {
    let [begin, end] = [0, 0];
    for (const record of this.#records) {
      if (record.begin > end) begin = record.begin;
      end = Math.max(end, record.begin + record.length);
    }
    return { begin: Math.max(begin, end - length), end };
  }

  /** Ranges of at most `length` kept bytes, at the beginnings of `count` records from all over the file. */
  samples(count: number, length: number): Range[] {
    const step = Math.max(1, Math.floor(this.#records.length / count));
    const chosen = this.#records.filter((_, i) => i % step === 0).slice(0, count);
    return chosen.map((record) => ({ begin: record.begin, end: record.begin + Math.min(length, record.length) }));
  }

  /** Bytes from `at`, up to `end` or to the end of their record; null where they aren't kept or aren't what they were. */
  async read(at: number, end: number): Promise<Uint8Array | null> {
    for (let record = this.#covering(at); record; record = this.#covering(at)) {
      const bytes = await this.#readChecked(record, at - record.begin, Math.min(end - record.begin, record.length));
      if (bytes !== null) return bytes;
      this.#forget(record);
    }
    return null;
  }

  async #readChecked(record: CacheRecord, begin: number, end: number): Promise<Uint8Array | null> {
    try {
      const whole = !this.#checked.has(record);
      const [from, to] = whole ? [0, record.length] : [begin, end];
      const bytes = this.#silent ? undefined : await inTime(this.#file.read(record, from, to), this.#patience);
      if (bytes === undefined) {
        this.#silent = true;
        return null;
      }
      if (!whole) return bytes.length === end - begin ? bytes : null;
      if (bytes.length !== record.length || crc32(bytes) !== record.checksum) return null;
      this.#checked.add(record);
      return bytes.subarray(begin, end);
    } catch {
      return null; // Deleted, or unreadable: as if it had never been there.
    }
  }

  #forget(record: CacheRecord): void {
    const index = this.#records.indexOf(record);
    if (index === -1) return;
    this.#records.splice(index, 1);
    if (this.#file.writable && !this.#silent) this.#file.forget(record).catch(() => undefined);
  }

  /** Index of the first record that begins after `at`. */
  #after(at: number): number {
    let [low, high] = [0, this.#records.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#records[middle]?.begin ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #covering(at: number): CacheRecord | undefined {
    const record = this.#records[this.#after(at) - 1];
    return record && at < record.begin + record.length ? record : undefined;
  }
}
