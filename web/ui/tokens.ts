// How a token is shown: its text with white space made visible, or its bytes where they are no whole characters.
import type { Span, Token } from '../engine/api';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A character has at most four bytes, and each may be a token; one more where a token ends in the next character. */
const MOST_PARTS = 5;

const joined = (tokens: readonly Token[]): Uint8Array => Uint8Array.from(tokens.flatMap(({ bytes }) => [...bytes]));

function isWhole(tokens: readonly Token[]): boolean {
  try {
    decoder.decode(joined(tokens));
    return true;
  } catch {
    return false;
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `⟨${byte.toString(16).toUpperCase().padStart(2, '0')}⟩`).join('');
}

/** What leaves no mark of its own: separators, control and format characters, and letters that are drawn as nothing. */
const BLANK = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;
const NAMED: Readonly<Record<string, string>> = { ' ': '·', '\n': '⏎', '\t': '⇥', '\r': '␍' };

const codePoint = (letter: string): string =>
  `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Text with whatever cannot be seen made visible; joiners and variation selectors within an emoji stay as they are. */
function visible(text: string): string {
  const letters = [...text];
  return letters
    .map((letter, index) => {
      const joins = /[\u200d\ufe0f]/u.test(letter) && /\p{Extended_Pictographic}/u.test(letters[index - 1] ?? '');
      return NAMED[letter] ?? (BLANK.test(letter) && !joins ? `⟨${codePoint(letter)}⟩` : letter);
    })
    .join('');
}

export function tokenText(token: Token): string {
  try {
    return visible(decoder.decode(token.bytes)) || '∅';
  } catch {
    return hex(token.bytes);
  }
}

/** The code points of a token, or its bytes: "U+00A0 U+0041"; to tell apart what looks the same. */
export function tokenCodes(token: Token): string {
  try {
    return Array.from(decoder.decode(token.bytes), codePoint).join(' ');
  } catch {
    return Array.from(token.bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');
  }
}

/** Runs of tokens that are one place on the page: [first, last) of those that together make whole characters. */
export function tokenGroups(tokens: readonly Token[]): Span[] {
  const groups: Span[] = [];
  let first = 0;
  while (first < tokens.length) {
    let last = first + 1;
    for (let end = first + 1; end <= Math.min(tokens.length, first + MOST_PARTS); end++) {
      if (!isWhole(tokens.slice(first, end))) continue;
      last = end;
      break;
    }
    groups.push([first, last]);
    first = last;
  }
  return groups;
}

/** The text of a group of tokens. */
export function groupText(tokens: readonly Token[]): string {
  const [only] = tokens;
  if (tokens.length === 1 && only) return tokenText(only);
  return isWhole(tokens) ? visible(decoder.decode(joined(tokens))) : hex(joined(tokens));
}

/** At most `length` characters, an ellipsis for the rest. */
export function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

/** The text a token stands for, to append to a prompt; empty where its bytes are no whole characters. */
export function tokenPlain(token: Token): string {
  try {
    return decoder.decode(token.bytes);
  } catch {
    return '';
  }
}

/** Lone surrogates become U+FFFD: the engine takes well-formed text only. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');
