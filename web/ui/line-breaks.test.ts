// Line breaks of a prompt survive edits elsewhere in it.
import { expect, test } from 'vitest';
import { edited, withFieldBreaks } from './line-breaks';

test.each([
  ['a\rb', 'a\nbc', 'a\rbc'],
  ['a\r\nb\rc', 'xa\nb\nc', 'xa\r\nb\rc'],
  ['a\r\nb\rc', 'a\nb\nc!', 'a\r\nb\rc!'],
  ['a\r\nb\rc', 'a\nbb\nc', 'a\r\nbb\rc'],
  ['a\rb', 'ab', 'ab'],
  ['a\r\nb', 'a\n\nb', 'a\r\n\nb'],
  ['aaa', 'aa', 'aa'],
  ['', 'How\nare', 'How\nare'],
  ['\r', '', ''],
])('%j edited to %j in the field is %j', (text, field, expected) => {
  const result = edited(text, field);
  expect(result).toBe(expected);
  expect(withFieldBreaks(result)).toBe(field);
});

test('a text that the field shows as it is stays as it is', () => {
  expect(edited('a\r\nb\r', 'a\nb\n')).toBe('a\r\nb\r');
});
