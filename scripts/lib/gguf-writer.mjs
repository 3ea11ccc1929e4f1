// Writes GGUF files, version 3, little-endian: header first, then one tensor after the other as each is made.
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const VERSION = 3;
const ALIGNMENT = 32;

/** ggml's numbers for tensor types. */
export const TensorType = { F32: 0, Q8_0: 8 };

const ValueType = { UINT32: 4, INT32: 5, FLOAT32: 6, STRING: 8, ARRAY: 9 };

const u32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const u64 = (value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const f32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};

const string = (value) => {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
};

const array = (type, items) => Buffer.concat([u32(ValueType.ARRAY), u32(type), u64(items.length), ...items]);

/** Metadata values, each with its type. */
export const Uint32 = (value) => Buffer.concat([u32(ValueType.UINT32), u32(value)]);
export const Float32 = (value) => Buffer.concat([u32(ValueType.FLOAT32), f32(value)]);
export const Text = (value) => Buffer.concat([u32(ValueType.STRING), string(value)]);
export const Texts = (values) => array(ValueType.STRING, values.map(string));
export const Int32s = (values) => array(ValueType.INT32, values.map(u32));

const padded = (size) => Math.ceil(size / ALIGNMENT) * ALIGNMENT;
const padding = (size) => Buffer.alloc(padded(size) - size);

/** Bytes of a tensor's data. `shape` is in GGUF order: the contiguous axis first. */
export function tensorSize({ type, shape }) {
  const count = shape.reduce((product, length) => product * length, 1);
  return type === TensorType.Q8_0 ? (count / 32) * 34 : count * 4;
}

function headerBytes(metadata, tensors) {
  const parts = [Buffer.from('GGUF'), u32(VERSION), u64(tensors.length), u64(metadata.length)];
  for (const [key, value] of metadata) parts.push(string(key), value);
  let offset = 0;
  for (const tensor of tensors) {
    parts.push(string(tensor.name), u32(tensor.shape.length), ...tensor.shape.map(u64), u32(tensor.type), u64(offset));
    offset += padded(tensorSize(tensor));
  }
  const header = Buffer.concat(parts);
  return Buffer.concat([header, padding(header.length)]);
}

/**
 * Writes the file whole or not at all.
 * @param {string} path
 * @param {[string, Buffer][]} metadata in file order, values made by Uint32, Text, ...
 * @param {{ name: string, shape: number[], type: number, data: () => Uint8Array }[]} tensors in file order
 */
export function writeGguf(path, metadata, tensors) {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.part`;
  const file = openSync(unfinished, 'w');
  try {
    writeSync(file, headerBytes(metadata, tensors));
    for (const tensor of tensors) {
      const data = tensor.data();
      if (data.length !== tensorSize(tensor)) {
        throw new Error(`${tensor.name}: got ${data.length} bytes, expected ${tensorSize(tensor)}`);
      }
      writeSync(file, data);
      writeSync(file, padding(data.length));
    }
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
}
