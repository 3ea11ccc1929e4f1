// The index beside a kept file's data, as bytes: a head that says which file it is, then entries of one size.
//
// Little-endian. Head: magic u32, length of the description u32, its CRC-32 u32, u32 0, time of last use f64 (ms since
// 1970), f64 0, the description (JSON, padded with spaces to whole entries). Entry: begin f64, position in the data
// f64, length u32, CRC-32 of the bytes u32, CRC-32 of this entry so far u32, u32 0.
import { crc32 } from './checksum';
import type { CacheRecord, Identity } from './entry';

const MAGIC = 0x314b4648; // "HFK1"
const SIZE = 32;
const ENTRY_CHECKED = 24;
/** Where in the head the time of last use is. */
export const USED_AT = 16;

/** A record, and where it is: its bytes in the data, its entry in the index. */
export interface IndexedRecord extends CacheRecord {
  readonly position: number;
  readonly entryAt: number;
}

export interface Index {
  readonly identity: Identity;
  readonly used: number;
  /** Entries that are whole and within the data; the rest might not have been written to the end. */
  readonly records: readonly IndexedRecord[];
  /** Where the next entry goes, and the next bytes. */
  readonly end: number;
  readonly dataEnd: number;
}

export function encodeHead(identity: Identity, used: number): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(identity);
  const length = new TextEncoder().encode(text).length;
  const padded = Math.ceil(length / SIZE) * SIZE;
  const description = new TextEncoder().encode(text + ' '.repeat(padded - length));
  const head = new Uint8Array(SIZE + padded);
  const view = new DataView(head.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, padded, true);
  view.setUint32(8, crc32(description), true);
  view.setFloat64(USED_AT, used, true);
  head.set(description, SIZE);
  return head;
}

export function encodeUsed(used: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, used, true);
  return bytes;
}

export function encodeEntries(records: readonly IndexedRecord[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(records.length * SIZE);
  records.forEach(({ begin, position, length, checksum }, i) => {
    const view = new DataView(bytes.buffer, i * SIZE, SIZE);
    view.setFloat64(0, begin, true);
    view.setFloat64(8, position, true);
    view.setUint32(16, length, true);
    view.setUint32(20, checksum, true);
    view.setUint32(ENTRY_CHECKED, crc32(bytes.subarray(i * SIZE, i * SIZE + ENTRY_CHECKED)), true);
  });
  return bytes;
}

export const ENTRY_SIZE = SIZE;

/** Null where the head is not one that was written to the end. `dataSize`: of the data beside it. */
export function decodeIndex(bytes: Uint8Array, dataSize: number): Index | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < SIZE || view.getUint32(0, true) !== MAGIC) return null;
  const first = SIZE + view.getUint32(4, true);
  const description = bytes.subarray(SIZE, first);
  if (bytes.length < first || crc32(description) !== view.getUint32(8, true)) return null;
  const records: IndexedRecord[] = [];
  for (let at = first; at + SIZE <= bytes.length; at += SIZE) {
    if (crc32(bytes.subarray(at, at + ENTRY_CHECKED)) !== view.getUint32(at + ENTRY_CHECKED, true)) continue;
    const record = {
      begin: view.getFloat64(at, true),
      position: view.getFloat64(at + 8, true),
      length: view.getUint32(at + 16, true),
      checksum: view.getUint32(at + 20, true),
      entryAt: at,
    };
    if (record.position + record.length <= dataSize) records.push(record);
  }
  return {
    identity: JSON.parse(new TextDecoder().decode(description)),
    used: view.getFloat64(USED_AT, true),
    records,
    end: Math.max(first, ...records.map(({ entryAt }) => entryAt + SIZE)),
    dataEnd: Math.max(0, ...records.map(({ position, length }) => position + length)),
  };
}
