// Where ranges of model files are kept between visits: what such a place does, and which one this browser has.
import type { KeepingOff } from '../api';
import { openInCache } from './cache';
import { type Directory, modelDirectory } from './directory';
import { openInDirectory } from './opfs';

/** Which file, and which version of it. */
export interface Identity {
  readonly url: string;
  readonly size: number;
  /** The server's validator; null where it gives none. */
  readonly version: string | null;
}

/** Bytes of a file that are kept: file offsets [begin, begin + length). */
export interface KeptRecord {
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
export interface KeptFile {
  /** Null where nothing is kept yet. */
  readonly identity: Identity | null;
  /** As they were when this was opened. */
  readonly records: readonly KeptRecord[];
  /** False where another tab is the writer. */
  readonly writable: boolean;
  /** Whether it was deleted by hand since it was opened. */
  readonly lost: boolean;
  /** Bytes [begin, end) of a record, counted from its beginning. */
  read(record: KeptRecord, begin: number, end: number): Promise<Uint8Array>;
  /** Drops what is kept and begins anew. */
  start(identity: Identity): Promise<void>;
  /** Adds records: their data first. */
  write(runs: readonly Run[]): Promise<KeptRecord[]>;
  forget(record: KeptRecord): Promise<void>;
  /** Deletes all, and closes. */
  remove(): Promise<void>;
  close(): void;
}

/** Opens what is kept of a file, or says why nothing is. Never rejects. */
export type OpenKept = () => Promise<KeptFile | KeepingOff>;

/** What is kept of the file at `url`, in the best place that this browser has. For workers. */
export async function openKept(url: string): Promise<KeptFile | KeepingOff> {
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

/** Why the browser's storage has failed. */
export function reasonOf(error: unknown): KeepingOff {
  return error instanceof Error && error.name === 'QuotaExceededError' ? 'full' : 'denied';
}

/** A name for what is kept of a URL: 32 hexadecimal digits. */
export async function keptName(url: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(url)));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
