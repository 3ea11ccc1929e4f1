// CRC-32 (ISO 3309): what tells bytes that were written whole from those that were not.

const POLYNOMIAL = 0xedb88320;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; ++bit) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

export function crc32(bytes: Uint8Array): number {
  let value = ~0;
  for (let i = 0; i < bytes.length; ++i) value = (table[(value ^ (bytes[i] ?? 0)) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value >>> 0;
}
