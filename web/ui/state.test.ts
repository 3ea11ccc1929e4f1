// The view state survives its codec, and nonsense in a fragment does no harm.
import { expect, test } from 'vitest';
import { decodeState, encodeState, initialState, unreadFields, type ViewState } from './state';

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
    path: ['kq_soft_max-3[11,4,2]', 'norm-0#1[4,63]', 'blk.0.attn_qkv.weight[5,3]', 'output_norm.bias[7]'],
    from: 512,
    names: true,
    off: [
      { block: 2, head: 6 },
      { block: 3, head: 2 },
    ],
    offBy: 'mean',
    stage: 'masked',
    scale: 'fitted',
    lighting: 'writes',
    ids: true,
    present: true,
    theme: 'dark',
    inside: 'shapes',
    tour: 4,
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
  ).toEqual({ ...initialState, block: 0, head: 0 });
});

test('an address that says where it is starts at block 0, head 0; one that does not at the opening', () => {
  expect(decodeState('#prompt=How+are')).toMatchObject({ block: 0, head: 0 });
  expect(decodeState('#theme=dark')).toMatchObject({ block: initialState.block, head: initialState.head });
  expect(decodeState('#off=3.2,2.6,3.2')).toMatchObject({
    off: [
      { block: 2, head: 6 },
      { block: 3, head: 2 },
    ],
  });
});

test('what makes no sense is named, and nothing else', () => {
  expect(
    unreadFields('#prompt=%00&model=x&block=-1&head=007&row=0&theme=pink&names=1&skip0=0&other=1&load=auto'),
  ).toEqual([
    ['block', '-1'],
    ['theme', 'pink'],
  ]);
  expect(unreadFields(`#block=${initialState.block}&head=${initialState.head}`)).toEqual([]);
  expect(unreadFields('#off=3.2,1.0,3.2')).toEqual([]);
  expect(unreadFields('#off=3.2,x')).toEqual([['off', '3.2,x']]);
  expect(unreadFields('#block=12345678&trail=kq-0.1.2.3*nonsense')).toEqual([
    ['block', '12345678'],
    ['trail', 'kq-0.1.2.3*nonsense'],
  ]);
});
