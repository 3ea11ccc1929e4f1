// What an address asks for in vain is left out, and named.
import { expect, test } from 'vitest';
import type { ModelInfo } from '../engine/api';
import { initialState } from '../ui/state';
import { en } from '../ui/words/en';
import { corrected } from './out-of-range';

const info = { config: { blockCount: 4, headCount: 8, headDim: 32, embeddingLength: 256 } } as ModelInfo;

test('heads off that the model does not have: those are left out, the others stay', () => {
  const off = [
    { block: 3, head: 2 },
    { block: 3, head: 8 },
    { block: 99, head: 99 },
  ];
  const { state, said } = corrected({ ...initialState, off }, info, 13, en);
  expect(state.off).toEqual([{ block: 3, head: 2 }]);
  expect(said).toEqual([en.address.off('3.8, 99.99')]);
  expect(corrected(state, info, 13, en)).toEqual({ state, said: [] });
});
