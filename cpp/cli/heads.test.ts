// The commands that speak of heads and of what comes next: they agree with each other and with what trace writes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { readNpy } from '../../web/test/npy';
import { embedded, headflow, mini, scratchFolder, succeeds } from './command';

const scratch = scratchFolder();
const PROMPT = 'A dog named Captain Moon met a fox. The fox asked Captain';

interface Token {
  readonly id: number;
  readonly piece: string;
  readonly bytes: readonly number[];
}
interface Next extends Token {
  readonly probability: number;
  readonly logit: number;
}
interface Head extends Token {
  readonly block: number;
  readonly head: number;
  readonly previous: number;
  readonly repeats: number | null;
  readonly before: number;
  readonly after: number;
  readonly kl: number;
  readonly direct: number;
  readonly rank: number;
  readonly first_after: Token;
}
interface Layer {
  readonly block: number | null;
  readonly rank: number;
  readonly probability: number;
  readonly tokens: readonly (Token & { probability: number })[];
}

const next = (...more: string[]): Next[] =>
  JSON.parse(succeeds('next', embedded, '--prompt', PROMPT, '--json', ...more));
const heads = (): Head[] => JSON.parse(succeeds('heads', embedded, '--prompt', PROMPT, '--json'));

test('next: the name comes back, and not without the head that reads it', () => {
  const [first] = next('--top', '3');
  assert.equal(first?.piece, ' Moon');
  assert.deepEqual(first?.bytes, [...Buffer.from(' Moon')]);
  assert.ok(Math.abs((first?.probability ?? 0) - 0.97) < 0.01);
  const without = next('--off', '3.2').find(({ piece }) => piece === ' Moon');
  assert.ok(Math.abs((without?.probability ?? 0) - 0.3) < 0.01);
});

test('next: all of the vocabulary sums to 1', () => {
  const all = next('--top', '1000000');
  const sum = all.reduce((total, { probability }) => total + probability, 0);
  assert.ok(Math.abs(sum - 1) < 1e-6);
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
});

test('heads: what it says of a head off is what next says with the head off', () => {
  const all = heads();
  assert.equal(all.length, 32);
  assert.deepEqual(
    all.map(({ rank }) => rank),
    all.map((_, index) => index + 1),
  );
  assert.deepEqual(
    all.slice(0, 2).map(({ block, head }) => `${block}.${head}`),
    ['3.2', '2.6'],
  );
  for (const { block, head, after, id, first_after } of all.slice(0, 4)) {
    const off = next('--off', `${block}.${head}`, '--top', '5000');
    assert.equal(off.find((token) => token.id === id)?.probability.toFixed(6), after.toFixed(6));
    assert.equal(off[0]?.id, first_after.id);
  }
});

test('heads: a prompt in which nothing repeats has null', () => {
  const all: Head[] = JSON.parse(succeeds('heads', mini, '--tokens', '1,2,3', '--json'));
  for (const { repeats } of all) assert.equal(repeats, null);
});

interface Parts {
  readonly token: { readonly id: number };
  readonly parts: readonly {
    readonly source: string;
    readonly block: number;
    readonly head: number;
    readonly value: number;
  }[];
  readonly sum: number;
  readonly logit: number;
  readonly bound: number;
}

test('parts: they add up to the logit that next prints, and to the difference of two', () => {
  const parts = (...more: string[]): Parts =>
    JSON.parse(succeeds('parts', embedded, '--prompt', PROMPT, ...more, '--json'));
  const two: { id: number; logit: number }[] = JSON.parse(
    succeeds('next', embedded, '--prompt', PROMPT, '--top', '2', '--json'),
  );
  const [first, second] = two;
  assert.ok(first && second);
  const whole = parts();
  assert.equal(whole.token.id, first.id);
  assert.equal(whole.logit, first.logit);
  const less = parts('--against', String(second.id));
  assert.ok(Math.abs(less.logit - (first.logit - second.logit)) < 1e-9);
  for (const { parts: all, sum, logit, bound } of [whole, less]) {
    const added = all.reduce((total, { value }) => total + value, 0);
    assert.ok(Math.abs(added - sum) < 1e-9);
    assert.ok(Math.abs(sum - logit) <= bound);
    assert.equal(all.filter(({ source }) => source === 'head').length, 32);
    assert.equal(all.filter(({ source }) => source === 'mlp').length, 4);
  }
  for (const { block, head, direct } of heads()) {
    const part = whole.parts.find((one) => one.source === 'head' && one.block === block && one.head === head);
    assert.equal(part?.value, direct);
  }
  assert.deepEqual(parts('--token', String(second.id)).logit, second.logit);
});

test('lens: its last layer is what next says', () => {
  const layers: Layer[] = JSON.parse(succeeds('lens', embedded, '--prompt', PROMPT, '--json'));
  assert.deepEqual(
    layers.map(({ block }) => block),
    [null, 0, 1, 2, 3],
  );
  const expected = next('--top', '5');
  assert.deepEqual(
    layers.at(-1)?.tokens.map(({ id, probability }) => [id, probability]),
    expected.map(({ id, probability }) => [id, probability]),
  );
  // First only after the last block.
  assert.equal(layers.at(-1)?.rank, 1);
  for (const { rank } of layers.slice(0, -1)) assert.ok(rank > 5);
});

test('trace --off: the head’s output is zero, and the others’ is as it was', () => {
  const plain = join(scratch, 'plain');
  const off = join(scratch, 'off');
  succeeds('trace', mini, '--prompt', 'How are', '--node', 'kqv-0', '--out', plain);
  succeeds('trace', mini, '--prompt', 'How are', '--node', 'kqv-0', '--off', '0.1', '--out', off);
  const before = readNpy(join(plain, 'kqv-0.npy'));
  const after = readNpy(join(off, 'kqv-0.npy'));
  const size = before.values.length / (before.shape[0] ?? 1);
  before.values.forEach((value, index) => {
    assert.equal(after.values[index], Math.floor(index / size) === 1 ? 0 : value);
  });
  assert.deepEqual(JSON.parse(readFileSync(join(off, 'trace.json'), 'utf8')).off, [{ block: 0, head: 1, by: 'zero' }]);
});

test('what is no head is refused', () => {
  for (const text of ['3', '3.', '.2', 'x.1', '3.2.1', '9.0', '0.99']) {
    const { status, stderr } = headflow('next', mini, '--prompt', 'How are', '--off', text);
    assert.equal(status, 1, text);
    assert.match(stderr, /^headflow: .*\n$/);
  }
  const { status } = headflow('next', mini, '--prompt', 'How are', '--off', '0.1', '--off-by', 'half');
  assert.equal(status, 2);
});
