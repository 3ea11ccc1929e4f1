// The PNG that carries cells into a standalone SVG.
import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pngUrl } from './png';

test('pixels come back as they were, also beyond one deflate block', () => {
  const [width, height] = [200, 100];
  const pixels = Uint8ClampedArray.from({ length: width * height * 4 }, (_, index) => (index * 7) % 256);
  const [type, text] = pngUrl(pixels, width, height).split(',');
  expect(type).toBe('data:image/png;base64');
  const file = Buffer.from(text ?? '', 'base64');
  expect([file.readUInt32BE(16), file.readUInt32BE(20)]).toEqual([width, height]);
  const length = file.readUInt32BE(33);
  expect(file.toString('latin1', 37, 41)).toBe('IDAT');
  const lines = inflateSync(file.subarray(41, 41 + length));
  const back = Array.from({ length: height }, (_, line) => {
    const start = line * (width * 4 + 1) + 1;
    return lines.subarray(start, start + width * 4);
  });
  expect(Buffer.concat(back).equals(Buffer.from(pixels))).toBe(true);
});
