// A model with an output matrix of its own, made from one whose output is the token embedding: the same file with a copy
// of that matrix at its end.
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';

const HEADER_LIMIT = 1 << 23;
const PIECE = 1 << 23;
const ALIGNMENT = 32;
const VALUE_SIZES: Record<number, number> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
const STRING = 8;
const ARRAY = 9;

/** Half-open, in bytes of the file. */
export interface Extent {
  readonly begin: number;
  readonly end: number;
}

interface Directory {
  /** Where the tensors' entries end. */
  readonly end: number;
  readonly dataBegin: number;
  /** Name to the bytes of its entry after the name, and its offset in the data. */
  readonly tensors: ReadonlyMap<string, { readonly entry: Buffer; readonly offset: number }>;
}

const padded = (size: number) => Math.ceil(size / ALIGNMENT) * ALIGNMENT;

function readDirectory(header: Buffer): Directory {
  let at = 8;
  const take = (bytes: number): number => {
    at += bytes;
    return at - bytes;
  };
  const u32 = () => header.readUInt32LE(take(4));
  const u64 = () => Number(header.readBigUInt64LE(take(8)));
  const text = () => {
    const length = u64();
    const start = take(length);
    return header.toString('utf8', start, at);
  };
  const skip = (type: number): void => {
    if (type === STRING) text();
    else if (type === ARRAY) {
      const element = u32();
      for (let left = u64(); left > 0; left--) skip(element);
    } else take(VALUE_SIZES[type] ?? 0);
  };
  const count = u64();
  for (let left = u64(); left > 0; left--) {
    text();
    skip(u32());
  }
  const tensors = new Map<string, { entry: Buffer; offset: number }>();
  for (let left = count; left > 0; left--) {
    const name = text();
    const start = at;
    const dimensions = u32();
    take(8 * dimensions + 4);
    const offset = u64();
    tensors.set(name, { entry: header.subarray(start, at), offset });
  }
  return { end: at, dataBegin: padded(at), tensors };
}

/** Writes the variant, and says where its two matrices lie. */
export function writeUntied(from: string, to: string): { embedding: Extent; output: Extent } {
  const file = openSync(from, 'r');
  const part = (begin: number, end: number) => {
    const bytes = Buffer.alloc(end - begin);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, begin));
  };
  const header = part(0, HEADER_LIMIT);
  const { end, dataBegin, tensors } = readDirectory(header);
  const size = statSync(from).size;
  const embedding = tensors.get('token_embd.weight');
  const after = [...tensors.values()].map(({ offset }) => offset).sort((a, b) => a - b);
  if (!embedding) throw new Error(`${from}: no token_embd.weight`);
  const length = (after.find((offset) => offset > embedding.offset) ?? size - dataBegin) - embedding.offset;

  const name = Buffer.from('output.weight');
  const entry = Buffer.concat([Buffer.alloc(8), name, embedding.entry]);
  entry.writeBigUInt64LE(BigInt(name.length));
  const dataSize = padded(size - dataBegin);
  entry.writeBigUInt64LE(BigInt(dataSize), entry.length - 8);
  const changed = Buffer.concat([header.subarray(0, end), entry]);
  changed.writeBigUInt64LE(BigInt(tensors.size + 1), 8);
  const shift = padded(changed.length);

  const target = openSync(to, 'w');
  const copy = (begin: number, end: number) => {
    for (let at = begin; at < end; at += PIECE) writeSync(target, part(at, Math.min(end, at + PIECE)));
  };
  try {
    writeSync(target, Buffer.concat([changed, Buffer.alloc(shift - changed.length)]));
    copy(dataBegin, size);
    writeSync(target, Buffer.alloc(dataSize - (size - dataBegin)));
    copy(dataBegin + embedding.offset, dataBegin + embedding.offset + length);
  } finally {
    closeSync(target);
    closeSync(file);
  }
  const extent = (offset: number): Extent => ({ begin: shift + offset, end: shift + offset + length });
  return { embedding: extent(embedding.offset), output: extent(dataSize) };
}
