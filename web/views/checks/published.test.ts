// The published numbers as they are read, and a comparison with what llama.cpp computed that one wrong number fails.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import published from '../../../cpp/analysis/checks/published/gpt2-small.json';
import type { Engine, ModelInfo } from '../../engine/api';
import { openFile } from '../../engine/node';
import { MINI_PATH } from '../../engine/testing/models';
import { readNpy } from '../../test/npy';
import { readGolden } from './golden';
import { type Comparison, comparisons, holds } from './published';

const DUMP = new URL('../../../cpp/testdata/gpt2-mini/how/', import.meta.url);

let engine: Engine;

beforeAll(async () => {
  engine = await openFile(MINI_PATH);
});
afterAll(() => engine.close());

test('reads all that is published', () => {
  const small: ModelInfo = { ...engine.info, config: { ...engine.info.config, embeddingLength: 768 } };
  const { gguf, tensors, tensorsPerBlock, tokenize, mergeRanks, prompts } = readGolden(published, small);
  expect(Object.keys(gguf)).toHaveLength(10);
  expect(Object.keys(tensors)).toHaveLength(11);
  expect(tensorsPerBlock).toBe(12);
  expect(tokenize).toHaveLength(5);
  expect(mergeRanks).toContainEqual({ merge: 'Ġ a', rank: 1 });
  expect(prompts.map(({ text, numbers }) => [text, numbers.length])).toEqual([
    ['How are', 36 + 4 + 8 + 6 + 3],
    ['How are you', 9],
  ]);
  const numbers = prompts[0]?.numbers;
  expect(numbers).toContainEqual({ node: 'embd', head: null, row: 1, column: 767, value: 0.0839 });
  expect(numbers).toContainEqual({ node: 'kq-0', head: 0, row: 0, column: 1, value: -13.7144 });
  expect(numbers).toContainEqual({ node: 'kqv-0', head: 0, row: 1, column: 2, value: 0.0538 });
  expect(prompts[0]?.next.map(({ id }) => id)).toEqual([345, 356, 262]);
  expect(prompts[0]?.greedy).toEqual([{ key: 'greedy 3 tokens', count: 3, text: 'How are you doing?' }]);
});

/** What llama.cpp computed for "How are", one score changed by so much. */
function dumped(change: number) {
  const { values } = readNpy(new URL('kq-0.npy', DUMP).pathname);
  const { tokens } = JSON.parse(readFileSync(new URL('trace.json', DUMP), 'utf8'));
  const size = tokens.length;
  const rows = [...Array(size).keys()].map((query) => Array.from(values.slice(query * size, (query + 1) * size)));
  const last = rows.at(-1) ?? [];
  last[0] = (last[0] ?? 0) + change;
  return {
    tolerances: { values: 1e-5, scores: 1e-4, logprobs: 0.02 },
    gguf: {
      'general.architecture': 'gpt2',
      'gpt2.embedding_length': 64,
      tensors_per_block: 12,
      tensors: { 'blk.0.attn_qkv.weight': { shape: [64, 192], type: 'Q8_0' } },
    },
    tokenize: { 'How are': tokens },
    'prompt How are': { 'block 0': { 'kq head 0': rows } },
  };
}

async function compared(change: number): Promise<Comparison[]> {
  const session = await engine.createSession();
  const found: Comparison[] = [];
  for await (const one of comparisons(readGolden(dumped(change), engine.info), engine, session)) found.push(one);
  await session.close();
  return found;
}

test('holds for what llama.cpp computed, and fails for the one number that is wrong', async () => {
  const right = await compared(0);
  expect(right.filter((one) => !holds(one))).toEqual([]);
  expect(right.map(({ what }) => what).slice(0, 6)).toEqual([
    'general.architecture',
    'gpt2.embedding_length',
    'tensors of block 0',
    'shape of blk.0.attn_qkv.weight',
    'type of blk.0.attn_qkv.weight',
    'tokens of "How are"',
  ]);
  expect(right.length).toBeGreaterThan(6);
  const wrong = (await compared(2e-4)).filter((one) => !holds(one));
  expect(wrong.map(({ what }) => what)).toEqual([`kq-0, head 0 [${Math.sqrt(right.length - 6) - 1}, 0] of "How are"`]);
});

test('metadata and merges of a file', async () => {
  expect(await engine.metadata('gpt2.block_count')).toBe(2);
  expect(await engine.metadata('tokenizer.ggml.tokens')).toBeNull();
  expect(await engine.metadata('no.such.key')).toBeNull();
  expect(engine.info.shapedLikeGpt2Small).toBe(false);
});
