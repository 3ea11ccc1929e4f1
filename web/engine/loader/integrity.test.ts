// What arrives against the hashes of a manifest: in any order, damaged anywhere, and again after that.
import { expect, test } from 'vitest';
import { parseManifest } from '../source/manifest';
import { manifestOf, piecesOfFile, sha256 } from '../testing/manifests';
import { checkHeader, Integrity } from './integrity';

const HEADER = 100;
/** With padding between the first two and behind the last, as a GGUF file may have. */
const TENSORS = [
  { name: 'large', offset: 100, size: 300_000 },
  { name: 'b', offset: 300_128, size: 500 },
  { name: 'c', offset: 300_628, size: 1000 },
];
const SIZE = 301_640;
const FILE = Uint8Array.from({ length: SIZE }, (_, i) => (i * 2654435761) >>> 24);

/** In the place of the engine: what it was given, and no byte of it twice. */
class Memory {
  readonly bytes = new Uint8Array(SIZE);
  readonly present = new Uint8Array(SIZE);

  supply(offset: number, bytes: Uint8Array): void {
    if (this.present.subarray(offset, offset + bytes.length).includes(1)) throw new Error('supplied twice');
    this.bytes.set(bytes, offset);
    this.present.fill(1, offset, offset + bytes.length);
  }

  readBytes(offset: number, length: number): Uint8Array {
    const inTensor = TENSORS.some((one) => offset >= one.offset && offset + length <= one.offset + one.size);
    if (!inTensor || this.present.subarray(offset, offset + length).includes(0)) throw new Error('not in a tensor');
    return this.bytes.slice(offset, offset + length);
  }

  discard(begin: number, end: number): void {
    this.present.fill(0, begin, end);
  }

  isWhole(name: string): boolean {
    const { offset, size } = TENSORS.find((one) => one.name === name) ?? { offset: 0, size: 0 };
    return !this.present.subarray(offset, offset + size).includes(0);
  }
}

function start(pieceSize = SIZE) {
  const pieces = piecesOfFile('m.gguf', FILE, pieceSize);
  const manifest = parseManifest(JSON.stringify(manifestOf('m.gguf', FILE, HEADER, TENSORS, pieces)), 'm.json');
  const memory = new Memory();
  const integrity = new Integrity(manifest, FILE.slice(0, HEADER), TENSORS, memory, async () => undefined);
  return { memory, integrity };
}

function flipped(at: number): Uint8Array {
  const bytes = FILE.slice();
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

const code = (failure: unknown) => (failure as { code?: string }).code ?? failure;

/** Supplies [begin, end) in parts of this size. */
async function feed(integrity: Integrity, bytes: Uint8Array, begin = HEADER, end = SIZE, size = 50_000) {
  for (let at = begin; at < end; at += size) await integrity.supply(at, bytes.subarray(at, Math.min(end, at + size)));
}

test.each([SIZE, 100_000, 7919])(
  'a right file in pieces of %i bytes is verified, tensor by tensor',
  async (pieceSize) => {
    const { memory, integrity } = start(pieceSize);
    await feed(integrity, FILE, HEADER, 300_099);
    expect(integrity.verified('large')).toBeNull();
    await feed(integrity, FILE, 300_099, 300_100);
    expect([integrity.verified('large'), integrity.verified('b')]).toEqual([true, null]);
    await feed(integrity, FILE, 300_100);
    for (const { name } of TENSORS) expect(integrity.verified(name)).toBe(true);
    expect(sha256(memory.bytes.subarray(HEADER))).toBe(sha256(FILE.subarray(HEADER)));
    expect(integrity.verified('unknown')).toBeNull();
  },
);

test('parts may come in any order, beside each other and more than once', async () => {
  const { memory, integrity } = start(33_333);
  const begins: number[] = [];
  for (let at = HEADER; at < SIZE; at += 4999) begins.push(at);
  begins.sort((a, b) =>
    sha256(Uint8Array.of(a, a >> 8, a >> 16)).localeCompare(sha256(Uint8Array.of(b, b >> 8, b >> 16))),
  );
  await Promise.all(begins.map((at) => integrity.supply(at, FILE.subarray(at, at + 7000))));
  for (const { name } of TENSORS) expect(integrity.verified(name)).toBe(true);
  expect(memory.present.subarray(HEADER)).not.toContain(0);
});

test.each([
  ['the first byte of a tensor', 100, 'large'],
  ['one in the middle', 200_000, 'large'],
  ['its last', 300_099, 'large'],
  ['a small tensor', 300_200, 'b'],
  ['the last tensor', 301_627, 'c'],
])('a flipped bit is refused: %s', async (_, at, name) => {
  const { memory, integrity } = start();
  const failure = await feed(integrity, flipped(at)).catch((error) => error);
  const { offset, size } = TENSORS.find((one) => one.name === name) ?? { offset: 0, size: 0 };
  const got = sha256(flipped(at).subarray(offset, offset + size));
  const expected = sha256(FILE.subarray(offset, offset + size));
  expect(failure).toMatchObject({ name: 'EngineError', code: 'corrupt' });
  expect(failure.message).toContain(`tensor ${name} of m.gguf: SHA-256 is ${got}, expected ${expected}. `);
  expect(integrity.verified(name)).toBe(false);
  expect(memory.isWhole(name)).toBe(false);

  await feed(integrity, FILE);
  for (const tensor of TENSORS) expect(integrity.verified(tensor.name)).toBe(true);
  expect(sha256(memory.bytes.subarray(HEADER))).toBe(sha256(FILE.subarray(HEADER)));
});

test('what is verified is not overwritten by a damaged copy', async () => {
  const { memory, integrity } = start();
  await feed(integrity, FILE);
  await feed(integrity, flipped(300_200));
  expect(integrity.verified('b')).toBe(true);
  expect(memory.bytes[300_200]).toBe(FILE[300_200]);
});

test.each([300_105, SIZE - 1])('a piece is refused for a flipped bit outside of all tensors: byte %i', async (at) => {
  const { integrity } = start(100_000);
  const failure = await feed(integrity, flipped(at)).catch((error) => error);
  expect(code(failure)).toBe('corrupt');
  expect(failure.message).toMatch(/^m\.gguf-4 of m\.gguf: SHA-256 is /);
  await feed(integrity, FILE);
  for (const { name } of TENSORS) expect(integrity.verified(name)).toBe(true);
});

test('a wrong first piece can come again, its header included', async () => {
  const { integrity } = start();
  expect(code(await feed(integrity, flipped(300_105)).catch((error) => error))).toBe('corrupt');
  await feed(integrity, FILE);
  for (const { name } of TENSORS) expect(integrity.verified(name)).toBe(true);
});

test('a refusal of the engine leaves nothing half-counted', async () => {
  const { memory, integrity } = start();
  memory.supply = () => {
    throw new Error('a scale that is not finite');
  };
  await expect(integrity.supply(300_100, FILE.subarray(300_100))).rejects.toThrow('not finite');
  memory.supply = Memory.prototype.supply;
  await feed(integrity, FILE);
  for (const { name } of TENSORS) expect(integrity.verified(name)).toBe(true);
});

test('the header is refused for a flipped bit', () => {
  const manifest = parseManifest(JSON.stringify(manifestOf('m.gguf', FILE, HEADER, TENSORS)), 'm.json');
  checkHeader(FILE.subarray(0, HEADER), manifest);
  const expected = { code: 'corrupt', message: expect.stringContaining('header of m.gguf: SHA-256 is ') };
  for (let at = 0; at < HEADER; ++at) {
    expect(() => checkHeader(flipped(at).subarray(0, HEADER), manifest)).toThrow(expect.objectContaining(expected));
  }
});

test('a manifest of another file is refused', () => {
  const others = [{ name: 'large', offset: 100, size: 299_999 }];
  const manifest = parseManifest(JSON.stringify(manifestOf('m.gguf', FILE, HEADER, others)), 'm.json');
  const integrity = () => new Integrity(manifest, FILE.slice(0, HEADER), TENSORS, new Memory(), async () => undefined);
  expect(integrity).toThrow('tensor large: got 299999 bytes, expected 300000 bytes');
});
