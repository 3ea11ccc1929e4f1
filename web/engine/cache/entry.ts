// What a place for cached ranges of model files does: the interface that each kind of storage implements.
import type { KeepingOff } from '../api';

/** Which file, and which version of it. */
export interface Identity {
  readonly url: string;
  readonly size: number;
  /** The server's validator; null where it gives none. */
  readonly version: string | null;
}

/** Bytes of a file that are kept: file offsets [begin, begin + length). */
export interface CacheRecord {
  readonly begin: number;
  readonly length: number;
  /** CRC-32 of the bytes. */
  readonly checksum: number;
}

/** Bytes of a file at an offset of it. */
export interface Run {
  readonly begin: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What is kept of one file. Every call rejects with whatever the browser's storage throws. */
export interface CacheEntry {
  /** Null where nothing is kept yet. */
  readonly identity: Identity | null;
  /** As they were when this was opened. */
  readonly records: readonly CacheRecord[];
  /** False where another tab is the writer. */
  readonly writable: boolean;
  /** Whether it was deleted by hand since it was opened. */
  readonly lost: boolean;
  /** Bytes [begin, end) of a record, counted from its beginning. */
  read(record: CacheRecord, begin: number, end: number): Promise<Uint8Array>;
  /** Drops what is kept and begins anew. */
  start(identity: Identity): Promise<void>;
  /** Adds records: their data first. */
  write(runs: readonly Run[]): Promise<CacheRecord[]>;
  forget(record: CacheRecord): Promise<void>;
  /** Deletes all, and closes. */
  remove(): Promise<void>;
  close(): void;
}

/** Opens what is kept of a file, or says why nothing is. Never rejects. */
export type OpenEntry = () => Promise<CacheEntry | KeepingOff>;

/** Why the browser's storage has failed. */
export function reasonOf(error: unknown): KeepingOff {
  return error instanceof Error && error.name === 'QuotaExceededError' ? 'full' : 'denied';
}
