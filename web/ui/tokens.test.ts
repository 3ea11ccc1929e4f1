// Tokens as they are shown.
import { expect, test } from 'vitest';
import { groupText, shortened, tokenCodes, tokenGroups, tokenPlain, tokenText, wellFormed } from './tokens';

const token = (...bytes: number[]) => ({ id: 0, bytes: Uint8Array.from(bytes) });

test('white space is visible', () => {
  expect(tokenText({ id: 0, bytes: new TextEncoder().encode(' the\n') })).toBe('·the⏎');
});

test('bytes that are no whole characters are shown as bytes, and cannot be appended as text', () => {
  expect(tokenText(token(0xe2, 0x82))).toBe('⟨E2⟩⟨82⟩');
  expect(tokenPlain(token(0xe2, 0x82))).toBe('');
  expect(tokenPlain(token(0xe2, 0x82, 0xac))).toBe('€');
});

test('long texts end with an ellipsis, and no character is cut', () => {
  expect(shortened('because', 7)).toBe('because');
  expect(shortened('🙂🙂🙂', 2)).toBe('🙂…');
});

test('a lone surrogate becomes the replacement character', () => {
  expect(wellFormed('a\ud800b🙂')).toBe('a\ufffdb🙂');
});

test.each([
  ['\u00a0', '⟨U+00A0⟩'],
  ['a\u200bb', 'a⟨U+200B⟩b'],
  ['\u00ad', '⟨U+00AD⟩'],
  ['\u0001', '⟨U+0001⟩'],
  ['\u001b[0m', '⟨U+001B⟩[0m'],
  ['\u202e', '⟨U+202E⟩'],
  ['\ufeff', '⟨U+FEFF⟩'],
  ['\u3000', '⟨U+3000⟩'],
  ['👩\u200d🚀', '👩\u200d🚀'],
])('%j is something to see', (text, shown) => {
  expect(tokenText({ id: 0, bytes: new TextEncoder().encode(text) })).toBe(shown);
});

test('what looks the same has different codes', () => {
  expect([tokenCodes(token(0x20, 0x41)), tokenCodes(token(0xe2, 0x82))]).toEqual(['U+0020 U+0041', 'E2 82']);
});

test('tokens that are parts of one character share its place', () => {
  const parts = [token(0x61), token(0xf0, 0x9f), token(0x99), token(0x82), token(0x62), token(0xe2)];
  expect(tokenGroups(parts)).toEqual([
    [0, 1],
    [1, 4],
    [4, 5],
    [5, 6],
  ]);
  expect(groupText(parts.slice(1, 4))).toBe('🙂');
  expect(groupText(parts.slice(5))).toBe('⟨E2⟩');
});
