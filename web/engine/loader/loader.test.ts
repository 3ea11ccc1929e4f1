// Stage-wise loading: what is asked for, in which order, and what happens when bytes do not come.
import { afterEach, expect, test } from 'vitest';
import type { LoadProgress } from '../api';
import { EngineError } from '../errors';
import type { ThreadEngine } from '../instance';
import { openSource } from '../node';
import { BlobSource } from '../source/blob';
import type { Range } from '../source/range';
import { embeddedModelBytes } from '../testing/models';
import { Gate, WatchedSource } from '../testing/watched';

const ATTENTION = { kind: 'attention', block: 0 } as const;
const LOGITS = { kind: 'logits', block: 0 } as const;
const BYTES = embeddedModelBytes();

const totalSize = (ranges: readonly Range[]) => ranges.reduce((sum, { begin, end }) => sum + end - begin, 0);

const opened: ThreadEngine[] = [];

async function open(source: WatchedSource, onProgress?: (progress: LoadProgress) => void): Promise<ThreadEngine> {
  const engine = await openSource(source, onProgress);
  opened.push(engine);
  return engine;
}

async function startSession(engine: ThreadEngine, text: string) {
  const session = await engine.createSession();
  await session.setTokens((await engine.tokenize(text)).map(({ id }) => id));
  return session;
}

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

test("block 0's attention is there before the rest has arrived", async () => {
  const source = new WatchedSource(BYTES);
  const session = await startSession(await open(source), 'The cat sat on the mat');
  await session.run(ATTENTION, true);
  expect(totalSize(source.requests)).toBeLessThan(BYTES.length / 3);

  const held = new Gate();
  source.gate = () => held.opened;
  const next = session.next(1);
  expect((await session.heads(0)).length).toBeGreaterThan(1);
  held.open();
  expect(await next).toHaveLength(1);
});

test('everything is asked for once, in few requests', async () => {
  const source = new WatchedSource(BYTES);
  const session = await startSession(await open(source), 'The cat sat on the mat');
  await session.next(1);
  expect(totalSize(source.requests)).toBeLessThan(BYTES.length * 1.1);
  expect(source.requests.length).toBeLessThan(25);
  const { length } = source.requests;
  await (await startSession(opened[0] as ThreadEngine, 'Another prompt')).next(1);
  expect(source.requests).toHaveLength(length);
});

test('progress rises to its total', async () => {
  const seen: LoadProgress[] = [];
  const session = await startSession(await open(new WatchedSource(BYTES), (p) => seen.push(p)), 'Once upon a time');
  await session.run(LOGITS, false);
  expect(seen[0]?.phase).toBe('header');
  const weights = seen.filter(({ phase }) => phase === 'weights');
  for (let i = 1; i < weights.length; ++i) {
    expect(weights[i]?.loaded).toBeGreaterThanOrEqual(weights[i - 1]?.loaded ?? 0);
  }
  expect(weights.at(-1)?.loaded).toBe(weights.at(-1)?.total);
});

test('rows for a new prompt go before the weights that are on their way', async () => {
  const source = new WatchedSource(BYTES);
  const engine = await open(source);
  const first = await startSession(engine, 'The cat');
  await first.run(ATTENTION, false);
  const whole = first.next(1);
  const second = await startSession(engine, 'zebra quickly 9');
  const attention = second.run(ATTENTION, true);
  const order: string[] = [];
  await Promise.all([attention.then(() => order.push('attention')), whole.then(() => order.push('whole'))]);
  expect(order).toEqual(['attention', 'whole']);
  const isResumed = source.requests.some((cut, i) =>
    source.requests.slice(i + 1).some(({ begin }) => begin > cut.begin && begin < cut.end),
  );
  expect(isResumed).toBe(true);
});

test('after a failure the same stage can be asked for again', async () => {
  const source = new WatchedSource(BYTES);
  const session = await startSession(await open(source), 'The cat');
  source.gate = () => Promise.reject(new EngineError('network', 'no connection'));
  await expect(session.run(ATTENTION, true)).rejects.toMatchObject({ code: 'network', message: 'no connection' });
  source.gate = async () => undefined;
  await session.run(ATTENTION, true);
});

test('a file that ends too early is noticed where its size is not known', async () => {
  const source = new WatchedSource(BYTES.subarray(0, BYTES.length / 2), false);
  const session = await startSession(await open(source), 'The cat');
  await session.run(ATTENTION, true);
  await expect(session.run(LOGITS, false)).rejects.toMatchObject({ name: 'EngineError', code: 'truncated' });
});

test('a prompt that is replaced wants nothing more', async () => {
  const source = new WatchedSource(BYTES);
  const session = await startSession(await open(source), 'The cat');
  const held = new Gate();
  source.gate = () => held.opened;
  const old = expect(session.run(ATTENTION, true)).rejects.toMatchObject({ code: 'superseded' });
  await session.setTokens([1, 2]);
  await old;
  held.open();
  await session.run(ATTENTION, true);
});

test("a file of the user's own is read in slices", async () => {
  const engine = await openSource(new BlobSource(new Blob([BYTES]), 'own.gguf'));
  opened.push(engine);
  const own = await (await startSession(engine, 'The cat')).next(3);
  expect(own).toEqual(await (await startSession(await open(new WatchedSource(BYTES)), 'The cat')).next(3));
});

test('closing ends the wait for bytes', async () => {
  const source = new WatchedSource(BYTES);
  const engine = await open(source);
  const session = await startSession(engine, 'The cat');
  source.gate = () => new Promise(() => undefined);
  const running = expect(session.run(ATTENTION, true)).rejects.toMatchObject({ code: 'closed' });
  await engine.close();
  await running;
});
