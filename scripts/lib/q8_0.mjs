// Q8_0, as ggml's reference writes it: blocks of 32 values, each an fp16 scale max|x|/127 and 32 signed bytes
// x * (1/scale), rounded half away from zero.
const BLOCK = 32;
const BLOCK_BYTES = 2 + BLOCK;

const bits = new DataView(new ArrayBuffer(4));

/** The bits of the nearest fp16 to a number that fp16 can hold, ties to even. */
export function toHalf(value) {
  bits.setFloat32(0, value);
  const word = bits.getUint32(0);
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude < 0x38800000) {
    // Below the least normal one: a multiple of 2^-24.
    const scaled = Math.abs(value) * 2 ** 24;
    const whole = Math.floor(scaled);
    const rest = scaled - whole;
    return sign | (whole + (rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? 1 : 0));
  }
  return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
}

export function fromHalf(half) {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** Writes a row of a multiple of 32 floats to `bytes` from `offset` on; returns where the row ends. */
export function quantizeRow(row, bytes, offset) {
  for (let start = 0; start < row.length; start += BLOCK) {
    let largest = 0;
    for (let i = start; i < start + BLOCK; i++) largest = Math.max(largest, Math.abs(row[i]));
    const scale = Math.fround(largest / 127);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    const half = toHalf(scale);
    bytes[offset] = half & 0xff;
    bytes[offset + 1] = half >>> 8;
    for (let i = 0; i < BLOCK; i++) {
      const code = Math.fround(row[start + i] * inverse);
      bytes[offset + 2 + i] = code < 0 ? code - 0.5 : code + 0.5;
    }
    offset += BLOCK_BYTES;
  }
  return offset;
}

/** Reads a row written so. */
export function dequantizeRow(bytes, offset, row) {
  for (let start = 0; start < row.length; start += BLOCK) {
    const scale = fromHalf(bytes[offset] | (bytes[offset + 1] << 8));
    for (let i = 0; i < BLOCK; i++) row[start + i] = scale * ((bytes[offset + 2 + i] << 24) >> 24);
    offset += BLOCK_BYTES;
  }
}

/** A row as ggml rounds it before a product with a Q8_0 matrix: scale max|x|/127 kept as fp16, codes x*(127/max), ties to even. */
export function roundActivations(row) {
  const rounded = new Float64Array(row.length);
  const x = Float32Array.from(row);
  for (let start = 0; start < row.length; start += BLOCK) {
    const block = x.subarray(start, start + BLOCK);
    const largest = block.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (largest === 0) continue;
    const scale = fromHalf(toHalf(Math.fround(largest / 127)));
    const inverse = Math.fround(127 / largest);
    for (const [i, value] of block.entries()) rounded[start + i] = scale * toEven(Math.fround(value * inverse));
  }
  return rounded;
}

function toEven(value) {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest === 0.5) return below % 2 === 0 ? below : below + 1;
  return rest < 0.5 ? below : below + 1;
}

export const rowBytes = (columns) => (columns / BLOCK) * BLOCK_BYTES;
