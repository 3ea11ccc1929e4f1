// The view state survives its codec, and nonsense in a fragment does no harm.
import { expect, test } from 'vitest';
import { decodeState, encodeState, initialState, type ViewState } from './state';

test('the initial state is an empty fragment', () => {
  expect(encodeState(initialState)).toBe('');
  expect(decodeState('')).toEqual(initialState);
});

test('every field survives', () => {
  const state: ViewState = {
    prompt: 'a & b = c#\n100 % ·ünï',
    model: 'https://example.org/m.gguf',
    block: 3,
    head: 11,
    row: 0,
    cell: { stage: 'p', row: 4, column: 2 },
    trail: ['kq_soft_max-3[11,4,2]', 'norm-0#1[4,63]', 'blk.0.attn_qkv.weight[5,3]', 'output_norm.bias[7]'],
    from: 512,
    names: true,
    withoutFirstKey: true,
    fitWeights: true,
    theme: 'dark',
    inside: 'shapes',
    load: 'shown',
  };
  expect(decodeState(`#${encodeState(state)}`)).toEqual(state);
});

test('an empty prompt is not the initial one', () => {
  expect(decodeState(encodeState({ ...initialState, prompt: '' })).prompt).toBe('');
});

test('nonsense is ignored', () => {
  expect(
    decodeState('#block=-1&head=x&row=1.5&cell=p.1&theme=pink&inside=out&load=some&from=1e9&trail=*kq-0*.1*kq-0.x'),
  ).toEqual(initialState);
});
