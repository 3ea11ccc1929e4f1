// Writes cpp/tokenizer/testdata/splits.json: texts and their pieces by GPT-2's regular expression, as this Node matches
// it. \s is written out as the White_Space property, which is what the engine follows.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { randomSource } from '../lib/random.mjs';

const SPACE = String.raw`\p{White_Space}`;
const SPLIT = new RegExp(
  `'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|${SPACE}+(?![^${SPACE}])|${SPACE}+`,
  'gu',
);

// Characters at the edges of the classes: what looks like a space and is none, numbers that are no digits, marks.
const ALPHABET = [
  ...[' ', ' ', ' ', '\n', '\t', '\r', '\u000b', '\u001c', '\u0085', '\u00a0', '\u2003', '\u200b', '\u3000', '\ufeff'],
  ...["'", "'", "'", "'s", "'S", "'t", "'re", "'r", "'ve", "'v", "'m", "'ll", "'l", "'d", '\u2019s'],
  ...['a', 'Z', 's', 'é', 'e\u0301', 'ß', 'Ж', '漢', 'ª', 'ʰ', '\u{10400}', '\u{1d400}'],
  ...['0', '9', '²', '½', 'Ⅷ', '٣', '一', '\u{1d7d8}'],
  ...['.', '!', '"', '-', '_', '$', '€', '“', '🤗', '\u{1f468}\u200d\u{1f469}', '\u0000', '\u007f', '\u{10ffff}'],
];

const COUNT = 400;
const LONGEST = 10;

function cases() {
  const random = randomSource(17);
  const below = (end) => Math.floor(random() * end);
  const texts = Array.from({ length: COUNT }, () =>
    Array.from({ length: 1 + below(LONGEST) }, () => ALPHABET[below(ALPHABET.length)]).join(''),
  );
  return texts.map((text) => text.match(SPLIT));
}

const path = fileURLToPath(new URL('../../cpp/tokenizer/testdata/splits.json', import.meta.url));
const line = (pieces) => `  [${pieces.map((piece) => JSON.stringify(piece)).join(', ')}]`;
writeFileSync(path, `[\n${cases().map(line).join(',\n')}\n]\n`);
