// A PNG of a few cells without a canvas: stored (uncompressed) deflate blocks, so that a drawing is an SVG under Node too.

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc >>> 0;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return ((b << 16) | a) >>> 0;
}

function chunk(type: string, body: Uint8Array): Uint8Array {
  const made = new Uint8Array(12 + body.length);
  const view = new DataView(made.buffer);
  view.setUint32(0, body.length);
  made.set(
    Array.from(type, (letter) => letter.charCodeAt(0)),
    4,
  );
  made.set(body, 8);
  view.setUint32(8 + body.length, crc32(made.subarray(4, 8 + body.length)));
  return made;
}

/** zlib format, every block stored. */
function stored(bytes: Uint8Array): Uint8Array {
  const blocks = Math.max(1, Math.ceil(bytes.length / 65535));
  const made = new Uint8Array(2 + blocks * 5 + bytes.length + 4);
  const view = new DataView(made.buffer);
  made.set([0x78, 0x01]);
  let at = 2;
  for (let block = 0; block < blocks; block++) {
    const part = bytes.subarray(block * 65535, (block + 1) * 65535);
    made[at] = block === blocks - 1 ? 1 : 0;
    view.setUint16(at + 1, part.length, true);
    view.setUint16(at + 3, ~part.length & 0xffff, true);
    made.set(part, at + 5);
    at += 5 + part.length;
  }
  view.setUint32(at, adler32(bytes));
  return made;
}

/** A `data:` URL of width x height RGBA pixels. */
export function pngUrl(pixels: Uint8ClampedArray, width: number, height: number): string {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 6], 8);
  const lines = new Uint8Array(height * (width * 4 + 1));
  for (let line = 0; line < height; line++) {
    lines.set(pixels.subarray(line * width * 4, (line + 1) * width * 4), line * (width * 4 + 1) + 1);
  }
  const parts = [
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', header),
    chunk('IDAT', stored(lines)),
    chunk('IEND', new Uint8Array()),
  ];
  let binary = '';
  for (const part of parts) for (const byte of part) binary += String.fromCharCode(byte);
  return `data:image/png;base64,${btoa(binary)}`;
}
