// Tokens as they are shown.
import { expect, test } from 'vitest';
import { shortened, tokenPlain, tokenText, wellFormed } from './tokens';

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
