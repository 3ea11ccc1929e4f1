import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spell } from './byte-symbols.mjs';
import { deriveMerges } from './merges.mjs';

test('Each longer token comes from the two parts that the tokens before it leave', () => {
  const merges = deriveMerges(['a', 'b', 'c', 'ab', 'bc', 'abc', 'abab', 'cabc']);
  assert.deepEqual(merges, [
    ['a', 'b'],
    ['b', 'c'],
    ['ab', 'c'],
    ['ab', 'ab'],
    ['c', 'abc'],
  ]);
});

test('A token that no merge can have made is refused', () => {
  assert.throws(() => deriveMerges(['a', 'b', 'c', 'abc']), /Token 3 comes apart into 3 pieces/);
});

test('Bytes are spelled as GPT-2 does', () => {
  assert.equal(spell(' a\n\u00ad\u00ff'), 'ĠaĊŃÿ');
});
