// Writes cpp/tokenizer/testdata/gpt-tokenizer.json: texts and their token ids by the package gpt-tokenizer.
//
// Left out are U+FEFF and U+0085, on which JavaScript's \s and the engine's white space differ, and special tokens.
// The package and the engine's table of classes know the Unicode version of the Node that made them, so no code point
// is too new for either.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { encode } from 'gpt-tokenizer/encoding/r50k_base';
import { randomSource } from '../lib/random.mjs';

const CATEGORIES = [
  ...['Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'Mn', 'Mc', 'Me', 'Nd', 'Nl', 'No', 'Pc', 'Pd', 'Ps', 'Pe', 'Pi', 'Pf', 'Po'],
  ...['Sm', 'Sc', 'Sk', 'So', 'Zs', 'Zl', 'Zp', 'Cc', 'Cf', 'Co'],
];
const DIFFERENT = /[\ufeff\u0085]/u;

const HAND_PICKED = [
  ...['\r\n', 'a\r\nb', '\r\n\r\n', 'a \r\n b', '\n\r', 'line\r\n\tindented', '\t\t', ' \t ', '   ', 'a   b   '],
  ...["I'm", "I'M", "you're", "we've", "she'll", "he'd", "it's", "don't", "'s", "''s", "' s", "o'clock", 'it’s'],
  ...["'re're", " 've", "'lll", "'dd", "1's", "!'t", "\n's", "x'", "'"],
  ...['🤗', '👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '🇨🇭🇫🇷', 'a🤗b', '🤗 🤗', '1️⃣', '❤️', '☃', '\u{1f9d1}\u200d\u{1f680}'],
  ...['\ue000', '\uf8ff x', '\u{f0000}', '\u{10fffd}!', '\ufffd', 'a\ufffdb'],
  ...['Ünïcödé', 'naïve café', 'e\u0301', 'İstanbul', 'ǅ', 'ﬁ', 'Ω≠Ω', 'Привет, мир!', 'שלום', 'مرحبا ٣', 'नमस्ते'],
  ...[
    '你好，世界',
    'こんにちは',
    '안녕하세요',
    'ไทย',
    '𝔘𝔫𝔦𝔠𝔬𝔡𝔢',
    '𐍈',
    '½ ² Ⅷ ٣ 一',
    '12345 67,890.12',
    '3.14e-10',
    '0x1F',
  ],
  ...[
    '    return x;\n',
    'for (int i = 0; i < n; ++i) {\n\t\n}',
    '"quoted" — dashed…',
    'snake_case camelCase',
    'http://a.b/c?d=e',
  ],
  ...['\u00a0x', '\u3000x', '\u2003\u2003x', 'a\u2028b', 'a\u200bb', '\u0000', '\u0000\u0001', '\u007f', '\u001c x'],
  ...[
    'a'.repeat(70),
    ' '.repeat(33),
    '='.repeat(41),
    'ab'.repeat(30),
    '\n'.repeat(9),
    'The '.repeat(12),
    '９'.repeat(7),
  ],
];

function membersOf(category) {
  const pattern = new RegExp(`\\p{gc=${category}}`, 'u');
  const members = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    const character = String.fromCodePoint(codePoint);
    if (pattern.test(character) && !DIFFERENT.test(character)) members.push(character);
  }
  return members;
}

/** Every character of one byte, and characters that have every byte that UTF-8 has. */
function everyByte() {
  const texts = [];
  for (let first = 0; first < 0x80; first += 16) {
    texts.push(String.fromCharCode(...Array.from({ length: 16 }, (_, i) => first + i)));
  }
  for (let lead = 0xc2; lead <= 0xdf; lead++) texts.push(String.fromCodePoint(((lead & 31) << 6) | (lead & 62)));
  for (let lead = 0xe0; lead <= 0xef; lead++) texts.push(String.fromCodePoint(((lead & 15) << 12) | 0x7c1));
  for (let lead = 0xf0; lead <= 0xf4; lead++)
    texts.push(String.fromCodePoint(((lead & 7) << 18) | (0x10000 * +(lead < 0xf1)) | 0x41));
  return texts;
}

function mixtures(random, members) {
  const below = (end) => Math.floor(random() * end);
  const pick = (list) => list[below(list.length)];
  const plain = [' ', ' ', '\n', 'the', 'a', 'x1', "'s", '.', '42'];
  return Array.from({ length: 120 }, () =>
    Array.from({ length: 1 + below(9) }, () => (random() < 0.4 ? pick(plain) : pick(pick(members)))).join(''),
  );
}

function cases() {
  const random = randomSource(23);
  const members = CATEGORIES.map(membersOf);
  const ofEach = members.flatMap((list) => [
    list[Math.floor(random() * list.length)],
    `a ${list[Math.floor(random() * list.length)]}b ${list[Math.floor(random() * list.length)]}`,
  ]);
  return [...HAND_PICKED, ...everyByte(), ...ofEach, ...mixtures(random, members)].filter(
    (text) => !DIFFERENT.test(text),
  );
}

const path = fileURLToPath(new URL('../../cpp/tokenizer/testdata/gpt-tokenizer.json', import.meta.url));
const line = (text) => `  [${JSON.stringify(text)}, ${JSON.stringify(encode(text))}]`;
writeFileSync(path, `[\n${cases().map(line).join(',\n')}\n]\n`);
