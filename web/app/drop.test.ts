// Of what is dropped the first file is taken, and nothing is passed over in silence.
import { expect, test } from 'vitest';
import { dropped } from './drop';

const item = (name: string, isDirectory = false) => ({
  kind: 'file',
  getAsFile: () => new File(['x'], name),
  webkitGetAsEntry: () => ({ isDirectory }),
});

const drop = (...items: readonly unknown[]) => dropped({ items: items as unknown as DataTransferItemList });

test('the first file, and the names of the others', () => {
  const { file, others, folders } = drop(item('a.gguf'), item('b.gguf'), item('c.json'));
  expect([file?.name, others, folders]).toEqual(['a.gguf', ['b.gguf', 'c.json'], []]);
});

test('a folder is no file', () => {
  const { file, folders } = drop(item('models', true));
  expect([file, folders]).toEqual([null, ['models']]);
});

test('text is none either, and a browser without entries has files', () => {
  const text = { kind: 'string', getAsFile: () => null };
  const plain = { kind: 'file', getAsFile: () => new File(['x'], 'a.gguf') };
  expect(drop(text, plain).file?.name).toBe('a.gguf');
});
