// Reads tensors from a GGUF file that these scripts wrote.
import { closeSync, openSync, readSync } from 'node:fs';
import { TensorType, tensorSize } from '../lib/gguf-writer.mjs';
import { dequantizeRow, rowBytes } from '../lib/q8_0.mjs';

const HEADER_LIMIT = 1 << 23; // More than vocabulary and tensor list take.
const ValueType = { STRING: 8, ARRAY: 9 };
const VALUE_SIZES = { 4: 4, 5: 4, 6: 4 };

class Cursor {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  u32() {
    this.at += 4;
    return this.bytes.readUInt32LE(this.at - 4);
  }
  u64() {
    this.at += 8;
    return Number(this.bytes.readBigUInt64LE(this.at - 8));
  }
  string() {
    const length = this.u64();
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }
  skipValue(type) {
    if (type === ValueType.STRING) this.string();
    else if (type === ValueType.ARRAY) {
      const element = this.u32();
      for (let left = this.u64(); left > 0; left--) this.skipValue(element);
    } else this.at += VALUE_SIZES[type];
  }
}

export class GgufFile {
  #file;
  #tensors = new Map();

  constructor(path) {
    this.#file = openSync(path, 'r');
    const cursor = new Cursor(this.#read(0, HEADER_LIMIT));
    cursor.at = 8;
    const tensorCount = cursor.u64();
    for (let left = cursor.u64(); left > 0; left--) {
      cursor.string();
      cursor.skipValue(cursor.u32());
    }
    for (let left = tensorCount; left > 0; left--) {
      const name = cursor.string();
      const shape = Array.from({ length: cursor.u32() }, () => cursor.u64());
      this.#tensors.set(name, { shape, type: cursor.u32(), offset: cursor.u64() });
    }
    const dataStart = Math.ceil(cursor.at / 32) * 32;
    for (const tensor of this.#tensors.values()) tensor.offset += dataStart;
  }

  close() {
    closeSync(this.#file);
  }

  /** All values of a tensor, row after row. */
  values(name) {
    const tensor = this.#tensors.get(name);
    const bytes = this.#read(tensor.offset, tensorSize(tensor));
    if (tensor.type === TensorType.F32) return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const [columns, rows] = tensor.shape;
    const values = new Float32Array(columns * rows);
    for (let i = 0; i < rows; i++) {
      dequantizeRow(bytes, i * rowBytes(columns), values.subarray(i * columns, (i + 1) * columns));
    }
    return values;
  }

  #read(offset, length) {
    const bytes = Buffer.from(new ArrayBuffer(length));
    const got = readSync(this.#file, bytes, 0, length, offset);
    return bytes.subarray(0, got);
  }
}
