// The boundary between page and worker, with both sides in one thread and a message channel between them.
import * as Comlink from 'comlink';
import { afterEach, expect, test } from 'vitest';
import type { ComputeProgress, Engine, LoadProgress, ModelSource, OpenEngine } from './api';
import { Connection, openAt } from './client';
import { createHost } from './host';
import { openFile } from './node';
import { catTokens, MINI_PATH } from './testing/models';

const SOURCE: ModelSource = { kind: 'url', url: 'mini.gguf' };
const LOGITS = { kind: 'logits', block: 0 } as const;
const openMini: OpenEngine = async (_source, onProgress) => {
  onProgress?.({ phase: 'header', loaded: 1, total: 2, trouble: null });
  return openFile(MINI_PATH);
};

const closed: string[] = [];
const connections: Connection[] = [];

function connect(open: OpenEngine, onProgress?: (progress: LoadProgress) => void): Promise<Engine> {
  const { port1, port2 } = new MessageChannel();
  const connection = new Connection(() => {
    port2.close();
    closed.push('ended');
  });
  connections.push(connection);
  Comlink.expose(createHost(open), port1);
  return openAt(port2, connection, SOURCE, onProgress);
}

afterEach(() => {
  for (const connection of connections.splice(0)) connection.end(new Error('test over'));
  closed.length = 0;
});

test('gives what the engine behind it gives', async () => {
  const engine = await connect(openMini);
  const direct = await openFile(MINI_PATH);
  expect(engine.info).toEqual(direct.info);
  expect(await engine.tokenize('The cat')).toEqual(await direct.tokenize('The cat'));

  const results = [];
  for (const each of [engine, direct]) {
    const session = await each.createSession();
    await session.setTokens(catTokens());
    await session.run({ kind: 'attention', block: 1 }, true);
    const region = { node: 'kq_masked-1', head: 2, rows: [0, 13], columns: [0, 13] } as const;
    results.push([
      await session.region(region),
      await session.picture(region, 4, 5),
      await session.heads(1),
      await session.checks(1),
      await session.next(4),
      await session.next(2, 3),
      await session.calls(),
    ]);
  }
  expect(results[0]).toEqual(results[1]);
  await direct.close();
});

test('passes progress on', async () => {
  const loading: LoadProgress[] = [];
  const engine = await connect(openMini, (progress) => loading.push(progress));
  const session = await engine.createSession();
  await session.setTokens(catTokens());
  const computing: ComputeProgress[] = [];
  await session.run(LOGITS, false, (progress) => computing.push(progress));
  await session.calls();
  expect(loading).toEqual([{ phase: 'header', loaded: 1, total: 2, trouble: null }]);
  expect(computing.at(-1)).toEqual({ stage: LOGITS, rows: 13, rowCount: 13 });
});

test('failures keep their code', async () => {
  const engine = await connect(openMini);
  const session = await engine.createSession();
  const failure = await session.setTokens([272]).catch((error) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).toMatchObject({ name: 'EngineError', code: 'bad_argument', got: 'id 272' });
  expect(failure.message).toContain('272');
  await session.setTokens(catTokens());
  const superseded = expect(session.next(1)).rejects.toMatchObject({ name: 'EngineError', code: 'superseded' });
  await session.setTokens([1]);
  await superseded;
});

test('a model that cannot be opened ends its worker', async () => {
  const opening = connect(async () => openFile('/there/is/no/such/file'));
  await expect(opening).rejects.toMatchObject({ name: 'EngineError', code: 'internal' });
  expect(closed).toEqual(['ended']);
});

test('closing ends the worker and whatever waits for it', async () => {
  const engine = await connect(openMini);
  const session = await engine.createSession();
  await session.setTokens(catTokens());
  const waiting = expect(session.next(1)).rejects.toMatchObject({ name: 'EngineError', code: 'closed' });
  await engine.close();
  await waiting;
  await expect(engine.tokenize('a')).rejects.toMatchObject({ code: 'closed' });
  await expect(session.calls()).rejects.toMatchObject({ code: 'closed' });
  expect(closed).toEqual(['ended']);
});
