// Transfers that break off, stall or end too soon go on where they stopped, and give up in the end.
import { expect, test } from 'vitest';
import { EngineError } from '../errors';
import type { Range } from './range';
import { RetryingSource } from './retrying';
import type { ByteSource, ByteStream, Pieces } from './source';

const BYTES = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
const PIECE = 100;
const PATIENCE = { delays: [1, 1, 1], stall: 40 };

type Fault = 'break' | 'stall' | 'short' | 'refuse' | 'gone';

/** Its n-th answer has the n-th fault, if any, after `good` pieces. */
class FaultySource implements ByteSource {
  readonly name = 'faulty.gguf';
  readonly requests: Range[] = [];
  readonly #faults: readonly (Fault | null)[];
  readonly #whole: boolean;

  constructor(faults: readonly (Fault | null)[], whole = false) {
    this.#faults = faults;
    this.#whole = whole;
  }

  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    const fault = this.#faults[this.requests.length] ?? null;
    this.requests.push({ begin, end });
    if (fault === 'refuse') throw new EngineError('server', 'busy');
    if (fault === 'gone') throw new EngineError('http', 'gone');
    const from = this.#whole ? 0 : begin;
    const pieces = this.#pieces(from, this.#whole ? BYTES.length : end, fault, signal);
    return { begin: from, fileSize: BYTES.length, version: null, pieces, whole: this.#whole };
  }

  async *#pieces(begin: number, end: number, fault: Fault | null, signal: AbortSignal): Pieces {
    for (let at = begin; at < end; at += PIECE) {
      if (at === begin + 3 * PIECE && fault === 'break') throw new EngineError('network', 'broken off');
      if (at === begin + 3 * PIECE && fault === 'short') return;
      if (at === begin + 3 * PIECE && fault === 'stall') {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }
      yield BYTES.subarray(at, Math.min(end, at + PIECE));
    }
  }
}

async function readAll(source: FaultySource, begin: number, end: number, troubles: (string | null)[] = []) {
  const steady = new RetryingSource(source, (trouble) => troubles.push(trouble), PATIENCE);
  const { pieces } = await steady.open(begin, end, new AbortController().signal);
  const bytes: number[] = [];
  for await (const piece of pieces) bytes.push(...piece);
  return bytes;
}

const expected = (begin: number, end: number) => [...BYTES.subarray(begin, end)];

test.each<Fault>(['break', 'stall', 'short'])('%s: goes on where it stopped', async (fault) => {
  const source = new FaultySource([fault, null]);
  const troubles: (string | null)[] = [];
  expect(await readAll(source, 200, 900, troubles)).toEqual(expected(200, 900));
  expect(source.requests).toEqual([
    { begin: 200, end: 900 },
    { begin: 500, end: 900 },
  ]);
  expect(troubles).toEqual([expect.any(String), null]);
});

test('a server that answers with the whole file: what is known is skipped', async () => {
  const source = new FaultySource(['break', null], true);
  expect(await readAll(source, 0, 100)).toEqual(expected(0, 1000));
  expect(source.requests).toHaveLength(2);
});

test('a server that is busy is asked again', async () => {
  const source = new FaultySource(['refuse', 'refuse', null]);
  expect(await readAll(source, 0, 1000)).toEqual(expected(0, 1000));
});

test('every byte is a new beginning, and without any it gives up', async () => {
  const slow = new FaultySource(['break', 'break', 'break', null]);
  expect(await readAll(slow, 0, 1000)).toEqual(expected(0, 1000));
  const dead = new FaultySource(['break', 'refuse', 'refuse', 'refuse', 'refuse']);
  await expect(readAll(dead, 0, 1000)).rejects.toMatchObject({ code: 'server' });
  expect(dead.requests).toHaveLength(1 + PATIENCE.delays.length);
});

test('what will not change is not tried again', async () => {
  const source = new FaultySource(['gone', null]);
  await expect(readAll(source, 0, 1000)).rejects.toMatchObject({ code: 'http' });
  expect(source.requests).toHaveLength(1);
});

test('whoever ends it waits for nothing', async () => {
  const ending = new AbortController();
  const steady = new RetryingSource(new FaultySource(['stall']), () => undefined, { delays: [], stall: 1e6 });
  const { pieces } = await steady.open(0, 1000, ending.signal);
  for (let i = 0; i < 3; ++i) await pieces.next();
  const waiting = pieces.next();
  ending.abort(new EngineError('stopped', 'enough'));
  await expect(waiting).rejects.toMatchObject({ code: 'stopped' });
});
