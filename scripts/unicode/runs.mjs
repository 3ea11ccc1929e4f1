// The classes of all code points, as runs. The numbers are those of CharacterClass in cpp/tokenizer/unicode_classes.h.
// White space is the property, not \s: that one holds U+FEFF and not U+0085.
const CLASSES = [
  { number: 1, pattern: /\p{L}/u },
  { number: 2, pattern: /\p{N}/u },
  { number: 3, pattern: /\p{White_Space}/u },
];
const OTHER = 0;

const classOf = (character) => CLASSES.find(({ pattern }) => pattern.test(character))?.number ?? OTHER;

/** [{ first, number }], each up to the next one's first. */
export function classRuns() {
  const runs = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const number = classOf(String.fromCodePoint(codePoint));
    if (runs.at(-1)?.number !== number) runs.push({ first: codePoint, number });
  }
  return runs;
}
