// The file of GPT-2 small's shape behaves as its weights were shaped to (scripts/shaped-model/), by the engine's own
// statistics: sinks, previous-token heads, sharp and diffuse ones, and a residual stream with outlying dimensions.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HeadStatistics, Session } from './api';
import type { ThreadEngine } from './instance';
import { openFile } from './node';

type Interval = [least: number, most: number];
interface Expected {
  readonly prompt: string;
  readonly kinds: Record<string, Partial<Record<'first' | 'previous' | 'same' | 'entropy', Interval>>>;
  readonly atLeastInEachBlock: Record<string, number>;
  readonly largestOverMedian: { readonly range: Interval };
  readonly nextToken: { readonly entropy: Interval; readonly largest: Interval };
  readonly heads: string[][];
}

const from = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const expected: Expected = JSON.parse(readFileSync(from('scripts/shaped-model/expected.json'), 'utf8'));

let engine: ThreadEngine;
let session: Session;
let ids: number[];

beforeAll(async () => {
  engine = await openFile(from('build/testdata/gpt2-small-shaped.Q8_0.gguf'));
  session = await engine.createSession();
  ids = (await engine.tokenize(expected.prompt)).map(({ id }) => id);
  await session.setTokens(ids);
}, 60_000);
afterAll(async () => {
  await session.close();
  await engine.close();
});

const within = (value: number, [least, most]: Interval, what: string) => {
  expect(value, what).toBeGreaterThanOrEqual(least);
  expect(value, what).toBeLessThanOrEqual(most);
};

/** Mean weight on keys of the query's own token, over queries 1 .. T-1. */
async function sameToken(block: number, head: number): Promise<number> {
  const whole = [0, ids.length] as const;
  const { data } = await session.region({ node: `kq_soft_max-${block}`, head, rows: whole, columns: whole });
  let sum = 0;
  for (let t = 1; t < ids.length; t++) {
    for (let j = 0; j <= t; j++) if (ids[j] === ids[t]) sum += data[t * ids.length + j] ?? 0;
  }
  return sum / (ids.length - 1);
}

test.each(expected.heads.map((kinds, block) => ({ block, kinds })))(
  'block $block: each head does what it was made for',
  async ({ block, kinds }) => {
    await session.run({ kind: 'attention', block }, true);
    const statistics = await session.heads(block);
    for (const [head, kind] of kinds.entries()) {
      const { firstToken, previousToken, entropy } = statistics[head] as HeadStatistics;
      const measured = { first: firstToken, previous: previousToken, entropy, same: await sameToken(block, head) };
      for (const [measure, range] of Object.entries(expected.kinds[kind] ?? {})) {
        within(measured[measure as keyof typeof measured], range, `${kind} head ${head}: ${measure}`);
      }
    }
    for (const [kind, least] of Object.entries(expected.atLeastInEachBlock)) {
      expect(kinds.filter((each) => each === kind).length, kind).toBeGreaterThanOrEqual(least);
    }
  },
  60_000,
);

test('a few dimensions of the residual stream are hundreds of times the rest', async () => {
  const width = engine.info.config.embeddingLength;
  for (let block = 1; block < engine.info.config.blockCount; block++) {
    await session.run({ kind: 'mlp', block }, false);
    const rows = [1, ids.length] as const;
    const { data } = await session.region({ node: `l_out-${block}`, head: 0, rows, columns: [0, width] });
    for (let at = 0; at < data.length; at += width) {
      const sizes = data
        .slice(at, at + width)
        .map(Math.abs)
        .sort();
      const ratio = (sizes[width - 1] ?? 0) / (sizes[width / 2] ?? 0);
      within(ratio, expected.largestOverMedian.range, `block ${block}, position ${1 + at / width}`);
    }
  }
}, 60_000);

test('the next token is neither certain nor anything', async () => {
  const all = await session.next(engine.info.config.vocabularySize);
  const entropy = -all.reduce((sum, { probability: p }) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
  within(entropy, expected.nextToken.entropy, 'entropy');
  within(all[0]?.probability ?? 0, expected.nextToken.largest, 'likeliest');
  expect(all.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
});
