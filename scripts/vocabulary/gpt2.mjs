// GPT-2's vocabulary and merges in a GGUF's form, from the token ranks that the package gpt-tokenizer brings.
import ranked from 'gpt-tokenizer/bpeRanks/r50k_base';
import { Int32s, Text, Texts, Uint32 } from '../lib/gguf-writer.mjs';
import { spell } from './byte-symbols.mjs';
import { deriveMerges } from './merges.mjs';

const END_OF_TEXT = '<|endoftext|>';
const MERGES = 50000;
const TokenType = { NORMAL: 1, CONTROL: 3 };

/** { tokens, merges }, spelled in byte symbols; the end token is the last. */
export function gpt2Vocabulary() {
  const bytes = ranked.map((token) => Buffer.from(token).toString('latin1'));
  const merges = deriveMerges(bytes);
  if (merges.length !== MERGES) throw new Error(`GPT-2: got ${merges.length} merges, expected ${MERGES}`);
  return {
    tokens: [...bytes.map(spell), END_OF_TEXT],
    merges: merges.map((parts) => parts.map(spell).join(' ')),
  };
}

/** The metadata that says it in a GGUF file. */
export function vocabularyMetadata({ tokens, merges }) {
  const end = tokens.length - 1;
  return [
    ['tokenizer.ggml.model', Text('gpt2')],
    ['tokenizer.ggml.pre', Text('gpt-2')],
    ['tokenizer.ggml.tokens', Texts(tokens)],
    ['tokenizer.ggml.token_type', Int32s(tokens.map((_, id) => (id === end ? TokenType.CONTROL : TokenType.NORMAL)))],
    ['tokenizer.ggml.merges', Texts(merges)],
    ['tokenizer.ggml.bos_token_id', Uint32(end)],
    ['tokenizer.ggml.eos_token_id', Uint32(end)],
  ];
}
