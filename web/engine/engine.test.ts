// The engine over the real module: its numbers, sessions side by side, prompts that overtake, and failures.
import { afterEach, describe, expect, test } from 'vitest';
import type { Engine, NodeInfo, Session, Stage } from './api';
import { axisLength } from './axes';
import type { ThreadEngine } from './instance';
import { openFile, openSource } from './node';
import { MemorySource } from './source/memory';
import { catTokens, fingerprint, fingerprints, MINI_PATH, miniBytes } from './testing/models';

const LOGITS: Stage = { kind: 'logits', block: 0 };
const OTHER_TOKENS = [5, 3, 8, 8, 1, 0, 2, 260, 17];

const opened: Engine[] = [];

async function openMini(): Promise<ThreadEngine> {
  const engine = await openFile(MINI_PATH);
  opened.push(engine);
  return engine;
}

async function startSession(engine: Engine, tokens: readonly number[]): Promise<Session> {
  const session = await engine.createSession();
  await session.setTokens(tokens);
  return session;
}

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

/** A node's whole tensor, all heads, in its logical shape. */
async function wholeNode(engine: Engine, session: Session, node: NodeInfo, block: number, tokens: number) {
  await session.run({ kind: node.stage, block }, true);
  const name = node.perBlock ? `${node.name}-${block}${node.suffix}` : node.name;
  const columns = axisLength(node.axes.at(-1) ?? 'T', engine.info, tokens);
  const heads = node.axes.includes('H') ? engine.info.config.headCount : 1;
  const values = new Float32Array(heads * tokens * columns);
  for (let head = 0; head < heads; ++head) {
    const region = await session.region({ node: name, head, rows: [0, tokens], columns: [0, columns] });
    expect(region.shape).toEqual([tokens, columns]);
    values.set(region.data, head * tokens * columns);
  }
  return { name, values };
}

describe('numbers', () => {
  test('every node has the bits that the native engine finds', async () => {
    const engine = await openMini();
    const tokens = catTokens();
    const session = await startSession(engine, tokens);
    const found: Record<string, string> = {};
    for (const node of engine.info.nodes) {
      for (let block = 0; block < (node.perBlock ? engine.info.config.blockCount : 1); ++block) {
        const { name, values } = await wholeNode(engine, session, node, block, tokens.length);
        found[name] = fingerprint(values);
      }
    }
    expect(found).toEqual(fingerprints());
  });

  test('a picture that fits is the region, and a smaller one keeps the largest magnitudes', async () => {
    const engine = await openMini();
    const session = await startSession(engine, OTHER_TOKENS);
    await session.run({ kind: 'attention', block: 1 }, true);
    const region = { node: 'attn_out-1', head: 0, rows: [0, 9], columns: [0, 64] } as const;
    const { data } = await session.region(region);
    const whole = await session.picture(region, 100, 100);
    expect(whole).toMatchObject({ shape: [9, 64], binSize: [1, 1] });
    expect(whole.data).toEqual(data);
    expect(whole.maximum).toBe(Math.max(...data));
    expect(whole.minimum).toBe(Math.min(...data));

    const pooled = await session.picture(region, 2, 8);
    expect(pooled).toMatchObject({ shape: [2, 8], binSize: [5, 8], maximum: whole.maximum, minimum: whole.minimum });
    const magnitudes = [];
    for (let row = 0; row < 5; ++row) magnitudes.push(...data.slice(row * 64, row * 64 + 8).map(Math.abs));
    expect(Math.abs(pooled.data[0] ?? 0)).toBe(Math.max(...magnitudes));
  });

  test('head statistics are means of the probabilities', async () => {
    const engine = await openMini();
    const session = await startSession(engine, OTHER_TOKENS);
    await session.run({ kind: 'attention', block: 0 }, true);
    const heads = await session.heads(0);
    expect(heads.map(({ head }) => head)).toEqual([0, 1, 2, 3]);
    const { data } = await session.region({ node: 'kq_soft_max-0', head: 2, rows: [0, 9], columns: [0, 9] });
    const previous = [1, 2, 3, 4, 5, 6, 7, 8].map((t) => data[t * 9 + t - 1] ?? 0);
    expect(heads[2]?.previousToken).toBeCloseTo(previous.reduce((a, b) => a + b) / 8, 6);
  });

  test('the identities of a block hold, in bounded calls', async () => {
    const engine = await openMini();
    const session = await startSession(engine, OTHER_TOKENS);
    const checks = await session.checks(1);
    expect(checks.map(({ name }) => name)).toEqual([
      'softmax_sum',
      'masked_zero',
      'head_output',
      'concat',
      'contributions',
      'residual',
      'causality',
      'continuation',
    ]);
    for (const check of checks) {
      expect(check, check.name).toMatchObject({ holds: true });
      expect(check.error, check.name).toBeLessThanOrEqual(check.bound);
      expect(check.compared, check.name).toBeGreaterThan(0);
    }
    expect(checks.find(({ name }) => name === 'causality')).toMatchObject({ countsBits: true, error: 0, bound: 0 });
    expect((await session.calls()).at(-1)).toBeGreaterThan(8);
  });

  test('the next token runs what is lacking, for any row', async () => {
    const engine = await openMini();
    const session = await startSession(engine, OTHER_TOKENS);
    const all = await session.next(272);
    expect(all).toHaveLength(272);
    expect(all.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
    const { data } = await session.region({ node: 'result_output', head: 0, rows: [3, 4], columns: [0, 272] });
    const [best] = await session.next(1, 3);
    expect(best?.logit).toBe(Math.max(...data));
    expect(best?.id).toBe(data.indexOf(best?.logit ?? 0));
  });
});

describe('text', () => {
  test('goes to tokens and back by bytes', async () => {
    const engine = await openMini();
    const text = 'The cat sat on the mat, naïve 日本 🙂\n\t';
    const tokens = await engine.tokenize(text);
    const bytes = tokens.flatMap((token) => [...token.bytes]);
    expect(new TextDecoder().decode(Uint8Array.from(bytes))).toBe(text);
  });

  test('lone surrogates become U+FFFD', async () => {
    const engine = await openMini();
    const ids = async (text: string) => (await engine.tokenize(text)).map(({ id }) => id);
    expect(await ids('a\ud800b')).toEqual(await ids('a\ufffdb'));
    expect(await ids('\udc00')).toEqual(await ids('\ufffd'));
  });

  test('may be empty', async () => {
    const engine = await openMini();
    expect(await engine.tokenize('')).toEqual([]);
    const session = await startSession(engine, []);
    await session.run(LOGITS, false);
    await expect(session.next(3)).rejects.toMatchObject({ name: 'EngineError', code: 'bad_argument' });
  });
});

describe('sessions', () => {
  test('side by side give the same bits as alone', async () => {
    const engine = await openMini();
    const values = async (session: Session, tokens: number) => {
      await session.run({ kind: 'mlp', block: 1 }, true);
      await session.run(LOGITS, false);
      const scores = { node: 'kq-1', head: 3, rows: [0, tokens], columns: [0, tokens] } as const;
      const logits = { node: 'result_output', head: 0, rows: [0, tokens], columns: [0, 272] } as const;
      return [(await session.region(scores)).data, (await session.region(logits)).data];
    };
    const prompts = [catTokens(), OTHER_TOKENS];
    const alone = [];
    for (const prompt of prompts) alone.push(await values(await startSession(engine, prompt), prompt.length));

    const sessions = await Promise.all(prompts.map((prompt) => startSession(engine, prompt)));
    const finished: number[] = [];
    const together = await Promise.all(
      sessions.map(async (session, i) => {
        const result = await values(session, prompts[i]?.length ?? 0);
        finished.push(i);
        return result;
      }),
    );
    expect(together).toEqual(alone);
    expect(finished).toHaveLength(2);
  });

  test('take turns, call by call', async () => {
    const engine = await openMini();
    const order: string[] = [];
    const run = async (name: string) => {
      const session = await startSession(engine, catTokens());
      await session.run(LOGITS, false, () => order.push(name));
    };
    await Promise.all([run('a'), run('b')]);
    expect(order.length).toBeGreaterThan(8);
    for (let i = 1; i + 2 < order.length; ++i) expect(order[i]).not.toBe(order[i - 1]);
  });

  test('a new prompt overtakes: no call of the old one runs after it', async () => {
    const engine = await openMini();
    const session = await startSession(engine, catTokens());
    let seen = 0;
    const begun = new Promise<void>((resolve) => {
      session
        .run(LOGITS, false, () => ++seen === 2 && resolve())
        .catch((error) => expect(error.code).toBe('superseded'));
    });
    const next = session.next(3);
    const superseded = expect(next).rejects.toMatchObject({ name: 'EngineError', code: 'superseded' });
    await begun;
    const [, before] = await session.calls();
    await session.setTokens(OTHER_TOKENS);
    await superseded;
    await session.run(LOGITS, false);
    const [empty, old, present] = await session.calls();
    expect(empty).toBe(0);
    expect(old).toBeLessThanOrEqual((before ?? 0) + 1);
    expect(present).toBeGreaterThan(4);
  });

  test('a prompt that is refused leaves the old one as it was', async () => {
    const engine = await openMini();
    const session = await startSession(engine, OTHER_TOKENS);
    await expect(session.setTokens([1, 272])).rejects.toMatchObject({ name: 'EngineError', code: 'bad_argument' });
    await expect(session.setTokens(Array(65).fill(1))).rejects.toMatchObject({ code: 'context_overflow' });
    const [first] = await session.next(1);
    const [same] = await (await startSession(engine, OTHER_TOKENS)).next(1);
    expect(first).toEqual(same);
  });

  test('say what cannot be read', async () => {
    const engine = await openMini();
    const session = await startSession(engine, OTHER_TOKENS);
    await session.run({ kind: 'attention', block: 0 }, true);
    const region = { node: 'kq-0', head: 0, rows: [0, 9], columns: [0, 9] } as const;
    const code = (expected: string) => ({ name: 'EngineError', code: expected });
    await expect(session.region({ ...region, node: 'kq-1' })).rejects.toMatchObject(code('not_loaded'));
    await expect(session.region({ ...region, node: 'nothing-0' })).rejects.toMatchObject(code('bad_argument'));
    await expect(session.region({ ...region, head: 4 })).rejects.toMatchObject(code('bad_argument'));
    await expect(session.region({ ...region, rows: [0, 10] })).rejects.toMatchObject(code('bad_argument'));
    await expect(session.region({ ...region, columns: [-1, 9] })).rejects.toMatchObject(code('bad_argument'));
    await expect(session.picture(region, 0, 5)).rejects.toMatchObject(code('bad_argument'));
    await expect(session.next(3, 9)).rejects.toMatchObject(code('bad_argument'));
    await expect(session.run({ kind: 'mlp', block: 2 }, false)).rejects.toMatchObject(code('bad_argument'));
    expect((await session.region(region)).data).toHaveLength(81);
  });

  test('end what they were doing when they close', async () => {
    const engine = await openMini();
    const session = await startSession(engine, catTokens());
    const running = expect(session.run(LOGITS, false)).rejects.toMatchObject({ code: 'closed' });
    await session.close();
    await running;
    await session.close();
    await expect(session.setTokens([1])).rejects.toMatchObject({ code: 'closed' });
    await expect(session.next(1)).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('broken files', () => {
  const open = (bytes: Uint8Array) => openSource(new MemorySource(bytes, 'broken.gguf'));

  test.each([
    ['nothing', new Uint8Array(), 'truncated'],
    ['a text', new TextEncoder().encode('<!doctype html>'.repeat(100)), 'bad_magic'],
    ['half a header', miniBytes().subarray(0, 3000), 'truncated'],
    ['half the weights', miniBytes().subarray(0, 100_000), 'truncated'],
  ])('%s', async (_, bytes, code) => {
    await expect(open(bytes)).rejects.toMatchObject({ name: 'EngineError', code });
  });

  test('leave another engine as it was', async () => {
    const engine = await openMini();
    const session = await startSession(engine, OTHER_TOKENS);
    const before = await session.next(5);
    await expect(open(new Uint8Array(100_000))).rejects.toMatchObject({ name: 'EngineError' });
    const again = await startSession(engine, OTHER_TOKENS);
    expect(await again.next(5)).toEqual(before);
  });

  test('weights that are not finite', async () => {
    const bytes = miniBytes().slice();
    bytes.fill(0xff, bytes.length - 4096);
    const opening = open(bytes).then(async (engine) => {
      opened.push(engine);
      await (await startSession(engine, OTHER_TOKENS)).next(1);
    });
    await expect(opening).rejects.toMatchObject({ name: 'EngineError', code: 'bad_weights' });
  });
});

test('a closed engine answers nothing more', async () => {
  const engine = await openFile(MINI_PATH);
  const session = await startSession(engine, catTokens());
  const running = expect(session.next(1)).rejects.toMatchObject({ code: 'closed' });
  await engine.close();
  await running;
  await expect(engine.tokenize('a')).rejects.toMatchObject({ code: 'closed' });
  await expect(engine.createSession()).rejects.toMatchObject({ code: 'closed' });
  await engine.close();
});
