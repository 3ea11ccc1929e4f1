// Writes build/testdata/gpt2-vocabulary.gguf: a header without tensors, for the tests of the tokenizer.
import { fileURLToPath } from 'node:url';
import { Text, writeGguf } from '../lib/gguf-writer.mjs';
import { gpt2Vocabulary, vocabularyMetadata } from './gpt2.mjs';

const PATH = fileURLToPath(new URL('../../build/testdata/gpt2-vocabulary.gguf', import.meta.url));

export function writeVocabulary(path = PATH) {
  const metadata = [
    ['general.architecture', Text('gpt2')],
    ['general.name', Text('GPT-2 vocabulary')],
    ...vocabularyMetadata(gpt2Vocabulary()),
  ];
  writeGguf(path, metadata, []);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeVocabulary();
