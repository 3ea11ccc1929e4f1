// The embedded model in pieces and with hashes, through the engine: the same numbers, and no number from damaged bytes.
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { EngineError } from '../errors';
import type { ThreadEngine } from '../instance';
import { loadModule } from '../module';
import { openTransport } from '../node';
import { type Manifest, parseManifest } from '../source/manifest';
import { MemorySource } from '../source/memory';
import { ShardSource } from '../source/shards';
import { manifestOf, piecesOfFile, placesIn, sha256 } from '../testing/manifests';
import { embeddedModelBytes } from '../testing/models';
import { WatchedSource } from '../testing/watched';
import { directly, type Transport, transportOf } from './transport';

const BYTES = new Uint8Array(embeddedModelBytes());
const OWN = new URL('../../../models/headflow-small.Q8_0.gguf.json', import.meta.url);
const own = JSON.parse(readFileSync(OWN, 'utf8')) as Manifest;
const PLACES = placesIn(await loadModule(), BYTES.subarray(0, own.header.size));
const MANIFEST_URL = 'https://host.example/m.gguf.json';
const { signal } = new AbortController();

const opened: ThreadEngine[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

async function open(transport: Transport): Promise<ThreadEngine> {
  const engine = await openTransport(transport);
  opened.push(engine);
  return engine;
}

/** `damage` of the file, served in pieces, with the manifest of the right one. */
function sharded(damage: (bytes: Uint8Array) => void = () => undefined): Transport {
  const pieces = piecesOfFile('m.gguf', BYTES, 1_000_000);
  const manifest = manifestOf('m.gguf', BYTES, own.header.size, PLACES, pieces);
  const served = BYTES.slice();
  damage(served);
  const shown = piecesOfFile('m.gguf', served, 1_000_000);
  const source = new ShardSource(MANIFEST_URL, (url) => {
    if (url === MANIFEST_URL) return new MemorySource(new TextEncoder().encode(JSON.stringify(manifest)), url);
    const name = url.slice(url.lastIndexOf('/') + 1);
    return new MemorySource(shown.get(name) ?? new Uint8Array(), url);
  });
  return { ...directly(source), manifest: () => source.manifest(signal) };
}

/** The likeliest tokens, once all of the model has been loaded. */
async function next(engine: ThreadEngine) {
  await engine.loadEmbeddings();
  const session = await engine.createSession();
  await session.setTokens((await engine.tokenize('The cat sat on')).map(({ id }) => id));
  return session.next(3);
}

test('a model in pieces gives the numbers of the whole file, each tensor verified', async () => {
  const engine = await open(sharded());
  const session = await engine.createSession();
  await session.setTokens([1, 2, 3]);
  await session.run({ kind: 'attention', block: 0 }, true);
  const verified = async () => new Map((await engine.status()).tensors.map((one) => [one.name, one.verified]));
  expect((await verified()).get('blk.0.attn_qkv.weight')).toBe(true);
  expect((await verified()).get('blk.1.attn_qkv.weight')).toBeNull();
  expect((await verified()).get('token_embd.weight')).toBeNull();
  expect(await next(engine)).toEqual(await next(await open(directly(new WatchedSource(BYTES)))));
  expect(new Set((await verified()).values())).toEqual(new Set([true]));
});

test('the manifest beside the embedded model is that of the file', async () => {
  const manifest = parseManifest(readFileSync(OWN, 'utf8'), 'own');
  expect([manifest.name, manifest.size, manifest.sha256]).toEqual([
    'headflow-small.Q8_0.gguf',
    BYTES.length,
    sha256(BYTES),
  ]);
  const source = new WatchedSource(BYTES);
  const engine = await open({ ...directly(source), manifest: async () => manifest });
  expect(source.requests).toEqual([{ begin: 0, end: manifest.header.size }]);
  await next(engine);
  for (const { verified } of (await engine.status()).tensors) expect(verified).toBe(true);
});

test('without a manifest nothing counts as verified', async () => {
  const engine = await open(directly(new WatchedSource(BYTES)));
  await next(engine);
  for (const { verified } of (await engine.status()).tensors) expect(verified).toBeNull();
});

const someOf = (end: string) => PLACES.filter(({ name }) => name.endsWith(end)).slice(-1);
const KINDS = ['token_embd.weight', 'position_embd.weight', 'attn_norm.weight', 'attn_qkv.weight', 'ffn_down.bias'];

test.each(
  [...KINDS, 'output_norm.bias'].flatMap(someOf).map(({ name, offset, size }) => [name, offset + (size >> 1)] as const),
)('a flipped bit in %s is refused before anything is computed with the tensor', async (name, at) => {
  const engine = await open(
    sharded((bytes) => {
      bytes[at] = (bytes[at] ?? 0) ^ 1;
    }),
  );
  const failure = await next(engine).catch((error) => error);
  expect(failure).toMatchObject({ name: 'EngineError', code: 'corrupt' });
  expect(failure.message).toMatch(new RegExp(`^tensor ${name.replaceAll('.', '\\.')} of m\\.gguf: SHA-256 is `));
  const damaged = (await engine.status()).tensors.find((tensor) => tensor.name === name);
  expect(damaged).toMatchObject({ verified: false, present: 0 });
});

test.each([8, 1000, own.header.size - 1])('a flipped bit in the header is refused: byte %i', async (at) => {
  const damaged = sharded((bytes) => {
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  });
  const message = expect.stringMatching(/^header of m\.gguf: SHA-256 is /);
  await expect(open(damaged)).rejects.toMatchObject({ name: 'EngineError', code: 'corrupt', message });
});

/** The file as it is kept, whose manifest comes when `come` is called. */
function late(damage: (bytes: Uint8Array) => void = () => undefined) {
  const bytes = BYTES.slice();
  damage(bytes);
  const state: { known: Manifest | null } = { known: null };
  const troubles: string[] = [];
  const transport: Transport = {
    ...directly(new MemorySource(bytes, 'm.gguf')),
    late: {
      known: () => state.known,
      ask: async () => {
        if (state.known === null) throw new EngineError('network', 'no connection');
        return state.known;
      },
    },
  };
  const come = () => {
    state.known = parseManifest(readFileSync(OWN, 'utf8'), 'own');
  };
  return { transport, come, troubles };
}

test('a model that opens without its manifest is compared once that has come', async () => {
  const { transport, come } = late();
  const engine = await open(transport);
  const session = await engine.createSession();
  await session.setTokens([1, 2, 3]);
  await session.run({ kind: 'attention', block: 0 }, true);
  const verified = async () => new Set((await engine.status()).tensors.map((one) => one.verified));
  expect(await verified()).toEqual(new Set([null]));
  come();
  await next(engine);
  expect(await verified()).toEqual(new Set([true]));
});

test('bytes that were in use and are not those of the manifest end the model', async () => {
  const [place] = PLACES.filter(({ name }) => name === 'blk.0.attn_qkv.weight');
  const { transport, come } = late((bytes) => {
    const at = (place?.offset ?? 0) + 2;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  });
  const engine = await open(transport);
  const session = await engine.createSession();
  await session.setTokens([1, 2, 3]);
  await session.run({ kind: 'attention', block: 0 }, true);
  come();
  await expect(next(engine)).rejects.toMatchObject({ code: 'corrupt' });
  await expect(engine.status()).rejects.toMatchObject({ code: 'corrupt' });
});

test('a manifest and its pieces as files', async () => {
  const pieces = piecesOfFile('m 1.gguf', BYTES, 2_000_000);
  const manifest = JSON.stringify(manifestOf('m 1.gguf', BYTES, own.header.size, PLACES, pieces));
  const files = [...pieces].map(([name, bytes]) => new File([bytes.slice()], name));
  files.splice(1, 0, new File([manifest], 'm 1.gguf.json'));
  const engine = await open(transportOf({ kind: 'files', files }));
  await next(engine);
  for (const { verified } of (await engine.status()).tensors) expect(verified).toBe(true);
  const lacking = transportOf({ kind: 'files', files: files.slice(1) });
  const message = expect.stringContaining('m 1.gguf-1 is not among the files');
  await expect(open(lacking)).rejects.toMatchObject({ code: 'missing_piece', message });
});
