// A model file in pieces, read like one: any range, and every way in which pieces and manifest contradict each other.
import { expect, test } from 'vitest';
import { randomSource } from '../../../scripts/lib/random.mjs';
import { manifestOf, piecesOfFile, sha256 } from '../testing/manifests';
import { isManifestUrl, parseManifest } from './manifest';
import { MemorySource } from './memory';
import { ShardSource, sourceAt } from './shards';
import type { ByteSource } from './source';

const FILE = Uint8Array.from({ length: 1000 }, (_, i) => (i * 2654435761) >>> 24);
const TENSORS = [{ name: 't', offset: 64, size: 900 }];
const URL_OF_MANIFEST = 'https://host.example/folder/m.gguf.json?raw=1';
const { signal } = new AbortController();

type Json = ReturnType<typeof manifestOf>;

/** A server with this manifest and these pieces beside it. */
function serve(manifest: unknown, pieces: ReadonlyMap<string, Uint8Array>) {
  const asked: string[] = [];
  const open = (url: string): ByteSource => {
    asked.push(url);
    if (url === URL_OF_MANIFEST) return new MemorySource(new TextEncoder().encode(JSON.stringify(manifest)), url, 100);
    const name = decodeURIComponent(new URL(url).pathname.slice('/folder/'.length));
    return new MemorySource(pieces.get(name) ?? new Uint8Array(), url, 64);
  };
  return { asked, source: new ShardSource(URL_OF_MANIFEST, open) };
}

function inPieces(size: number) {
  const pieces = piecesOfFile('m 100%.gguf', FILE, size);
  return { pieces, manifest: manifestOf('m 100%.gguf', FILE, 64, TENSORS, pieces) };
}

async function read(source: ByteSource, begin: number, end: number) {
  const { pieces, ...stream } = await source.open(begin, end, signal);
  const bytes: number[] = [];
  for await (const piece of pieces) bytes.push(...piece);
  return { ...stream, bytes: Uint8Array.from(bytes) };
}

test.each([1000, 300, 333, 1])('any range of a file in pieces of %i bytes', async (size) => {
  const { manifest, pieces } = inPieces(size);
  const { source, asked } = serve(manifest, pieces);
  const ends =
    size === 1
      ? [[0, 1000]]
      : [
          [0, 1],
          [0, 1000],
          [299, 301],
          [300, 600],
          [250, 950],
          [999, 1000],
          [900, 5000],
        ];
  for (const [begin, end] of ends as [number, number][]) {
    const { bytes, ...stream } = await read(source, begin, end);
    expect(bytes).toEqual(FILE.slice(begin, end));
    expect(stream).toEqual({ begin, fileSize: 1000, version: sha256(FILE) });
  }
  expect((await read(source, 1000, 2000)).bytes).toHaveLength(0);
  expect(asked).toHaveLength(1 + pieces.size);
  for (const url of asked) expect(url.startsWith('https://host.example/folder/')).toBe(true);
});

test('a transfer that is ended early asks for no more pieces', async () => {
  const { manifest, pieces } = inPieces(300);
  const opened: string[] = [];
  const { source } = serve(manifest, pieces);
  const watched = new ShardSource(URL_OF_MANIFEST, (url) => {
    const inner =
      url === URL_OF_MANIFEST ? sourceOf(manifest) : new MemorySource(pieces.get(lastName(url)) ?? FILE, url);
    const open: ByteSource['open'] = (...range) => {
      opened.push(url);
      return inner.open(...range);
    };
    return { name: url, open };
  });
  const { pieces: stream } = await watched.open(0, 1000, signal);
  await stream.next();
  await stream.return();
  expect(opened).toHaveLength(2);
  expect((await read(source, 0, 10)).bytes).toEqual(FILE.slice(0, 10));
});

const lastName = (url: string) => decodeURIComponent(url.slice(url.lastIndexOf('/') + 1));
const sourceOf = (manifest: unknown) =>
  new MemorySource(new TextEncoder().encode(JSON.stringify(manifest)), URL_OF_MANIFEST);

test('a server that knows no ranges: its pieces come whole', async () => {
  const { manifest, pieces } = inPieces(300);
  const source = new ShardSource(URL_OF_MANIFEST, (url) => {
    const inner =
      url === URL_OF_MANIFEST ? sourceOf(manifest) : new MemorySource(pieces.get(lastName(url)) ?? FILE, url);
    return { name: url, open: async () => ({ ...(await inner.open(0, 1e6, signal)), whole: true }) };
  });
  const { begin, bytes, ...rest } = await read(source, 350, 700);
  expect([begin, rest]).toEqual([300, { fileSize: 1000, version: sha256(FILE) }]);
  expect(bytes).toEqual(FILE.slice(300, 900));
});

test.each([
  ['a piece that is shorter', 299, 'changed', /got a file of 299 bytes, expected 300/],
  ['a piece that is longer', 301, 'changed', /got a file of 301 bytes, expected 300/],
])('%s than its manifest says', async (_, size, code, message) => {
  const { manifest, pieces } = inPieces(300);
  pieces.set('m 100%.gguf-2', new Uint8Array(size));
  const failure = await read(serve(manifest, pieces).source, 0, 1000).catch((error) => error);
  expect(failure).toMatchObject({ name: 'EngineError', code, message: expect.stringMatching(message) });
  expect(failure.message).toMatch(/^https:\/\/host\.example\/folder\/m%20100%25\.gguf-2: /);
});

test.each([
  [200, 'short', 'the answer ended at byte 200, expected byte 300'],
  [400, 'changed', 'more than 300 bytes'],
])('a piece of hidden size that has %i bytes', async (size, code, message) => {
  const { manifest, pieces } = inPieces(300);
  const source = new ShardSource(URL_OF_MANIFEST, (url) => {
    if (url === URL_OF_MANIFEST) return sourceOf(manifest);
    const inner = new MemorySource(
      lastName(url).endsWith('2') ? new Uint8Array(size) : (pieces.get(lastName(url)) ?? FILE),
      url,
    );
    return { name: url, open: async (...range) => ({ ...(await inner.open(0, 1000, range[2])), fileSize: null }) };
  });
  await expect(read(source, 0, 1000)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

const refused: [string, (manifest: Json) => unknown, string][] = [
  ['no object', () => [], 'm.json: got [], expected an object'],
  ['another format', (m) => ({ ...m, format: 'other' }), 'm.json, format: got "other", expected "headflow-shards"'],
  ['a size that is none', (m) => ({ ...m, size: 1.5 }), 'm.json, size: got 1.5'],
  ['no header', ({ header: _, ...m }) => m, 'm.json, header: got nothing'],
  ['a hash that is none', (m) => ({ ...m, sha256: m.sha256.toUpperCase() }), 'm.json, sha256: got "'],
  ['no pieces', (m) => ({ ...m, pieces: [] }), 'm.json, pieces: got []'],
  [
    'sizes that contradict',
    (m) => ({ ...m, size: 1001 }),
    'm.json, pieces: got sizes that add up to 1000 bytes, expected exactly 1001',
  ],
  [
    'tensors beyond the file',
    (m) => ({ ...m, tensors: [{ ...m.tensors[0], size: 937 }] }),
    'm.json, tensors: got sizes that add up to 1001',
  ],
  ['a piece of no bytes', (m) => ({ ...m, pieces: [{ ...m.pieces[0], size: 0 }] }), 'm.json, pieces[0], size: got 0'],
  [
    'a tensor twice',
    (m) => ({
      ...m,
      header: { ...m.header, size: 1 },
      tensors: [m.tensors[0], m.tensors[0]].map((t) => ({ ...t, size: 9 })),
    }),
    'm.json, tensors: got "t" twice',
  ],
  ...[
    'https://other.example/m',
    '//other.example/m',
    '/m',
    '../m',
    'a/b',
    'a\\b',
    'javascript:x',
    '..',
    '.',
    '',
    'a\nb',
    '\ud800',
  ].map((name): [string, (manifest: Json) => unknown, string] => [
    `a piece named ${JSON.stringify(name)}`,
    (m) => ({ ...m, pieces: [{ ...m.pieces[0], name }] }),
    'm.json, pieces[0], name: got ',
  ]),
];
test.each(refused)('a manifest with %s is refused', (_, change, message) => {
  const text = JSON.stringify(change(manifestOf('m', FILE, 64, TENSORS)));
  const expected = { name: 'EngineError', code: 'malformed', message: expect.stringContaining(message) };
  expect(() => parseManifest(text, 'm.json')).toThrow(expect.objectContaining(expected));
});

test('a later version, and what is no JSON', () => {
  const later = JSON.stringify({ ...manifestOf('m', FILE, 64, TENSORS), version: 2 });
  expect(() => parseManifest(later, 'm.json')).toThrow(expect.objectContaining({ code: 'unsupported_version' }));
  expect(() => parseManifest('<!doctype html>', 'm.json')).toThrow('m.json: got a web page, expected a manifest');
  expect(() => parseManifest('GGUF', 'm.json')).toThrow(expect.objectContaining({ code: 'malformed' }));
});

test('whatever is changed of a manifest, and however deep it is: it is read, or refused with its place', () => {
  const right = JSON.stringify(manifestOf('m', FILE, 64, TENSORS));
  const source = randomSource(9);
  const random = (below: number): number => Math.floor(source() * below);
  const parts = [
    '"',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    'null',
    '-1',
    '1e999',
    '0.5',
    '"size"',
    '\\u0000',
    '9'.repeat(40),
    '[['.repeat(20_000),
  ];
  let refusals = 0;
  for (let i = 0; i < 4000; i++) {
    const at = random(right.length);
    const changed = right.slice(0, at) + parts[random(parts.length)] + right.slice(at + random(12));
    try {
      parseManifest(changed, 'm.json');
    } catch (error) {
      expect(error, changed).toMatchObject({ name: 'EngineError', code: expect.stringMatching(/malformed|version/) });
      refusals++;
    }
  }
  expect(refusals).toBeGreaterThan(3000);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(() => parseManifest(`{"format":${deep}}`, 'm.json')).toThrow('m.json, format: got a list, expected');
});

test('a manifest that could not be read is read again', async () => {
  const { manifest, pieces } = inPieces(300);
  let broken = true;
  const { source: good } = serve(manifest, pieces);
  const source = new ShardSource(URL_OF_MANIFEST, (url) => {
    if (url !== URL_OF_MANIFEST) return new MemorySource(pieces.get(lastName(url)) ?? FILE, url);
    return {
      name: url,
      open: (...range) => (broken ? Promise.reject(new Error('gone')) : sourceOf(manifest).open(...range)),
    };
  });
  await expect(source.open(0, 1, signal)).rejects.toThrow('gone');
  broken = false;
  expect((await read(source, 0, 9)).bytes).toEqual((await read(good, 0, 9)).bytes);
});

test('an address that ends in .json is a manifest’s', () => {
  expect(isManifestUrl(URL_OF_MANIFEST)).toBe(true);
  expect(isManifestUrl('https://host.example/m.gguf?file=a.json')).toBe(false);
  const open = (url: string) => new MemorySource(FILE, url);
  expect(sourceAt('https://host.example/m.gguf', open)).toBeInstanceOf(MemorySource);
  expect(sourceAt(URL_OF_MANIFEST, open)).toBeInstanceOf(ShardSource);
});
