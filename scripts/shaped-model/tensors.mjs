// A tensor as the GGUF writer takes it: name, shape, type, and its bytes when they are wanted.
import { TensorType } from '../lib/gguf-writer.mjs';
import { quantizeRow, rowBytes } from '../lib/q8_0.mjs';

/** F32; `values` returns a Float32Array. `shape` is in GGUF order. */
export const floats = (name, shape, values) => ({
  name,
  shape,
  type: TensorType.F32,
  data: () => {
    const array = values();
    return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  },
});

/** Q8_0; `rows` is a function that fills the row it is given and knows its number. */
export const matrix = (name, columns, rows, makeFillRow) => ({
  name,
  shape: [columns, rows],
  type: TensorType.Q8_0,
  data: () => {
    const fillRow = makeFillRow();
    const bytes = new Uint8Array(rows * rowBytes(columns));
    const row = new Float32Array(columns);
    let offset = 0;
    for (let i = 0; i < rows; i++) {
      fillRow(row, i);
      offset = quantizeRow(row, bytes, offset);
    }
    return bytes;
  },
});
