import { expect, test } from 'vitest';
import type { ModelPart, TensorLoad } from '../../engine/api';
import { partsOf, sum } from './parts';

const tensor = (part: ModelPart, block: number | null, size: number, present: number): TensorLoad => ({
  name: `${part} ${block}`,
  part,
  block,
  type: 'F32',
  ggmlShape: [size / 4],
  size,
  present,
  verified: null,
});

test('tensors are gathered by part and block, in the order of the file', () => {
  const parts = partsOf([
    tensor('embeddings', null, 400, 40),
    tensor('attention', 0, 80, 80),
    tensor('attention', 0, 20, 4),
    tensor('mlp', 0, 60, 0),
    tensor('attention', 1, 100, 0),
    tensor('embeddings', null, 100, 8),
  ]);
  expect(parts.map(({ part, block, size, present }) => [part, block, size, present])).toEqual([
    ['embeddings', null, 500, 48],
    ['attention', 0, 100, 84],
    ['mlp', 0, 60, 0],
    ['attention', 1, 100, 0],
  ]);
  expect(sum(parts, 'size')).toBe(760);
});
