import { expect, test } from 'vitest';
import { stagesUpTo } from './stages';

const names = (stages: ReturnType<typeof stagesUpTo>) => stages.map(({ kind, block }) => `${kind} ${block}`);

test('a goal needs all stages before it', () => {
  expect(names(stagesUpTo({ kind: 'embed', block: 0 }, 2))).toEqual(['embed 0']);
  expect(names(stagesUpTo({ kind: 'attention', block: 1 }, 2))).toEqual([
    'embed 0',
    'attention 0',
    'mlp 0',
    'attention 1',
  ]);
  expect(names(stagesUpTo({ kind: 'logits', block: 0 }, 1))).toEqual(['embed 0', 'attention 0', 'mlp 0', 'logits 0']);
});
