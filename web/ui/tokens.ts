// How a token is shown: its text with white space made visible, or its bytes where they are no whole characters.
import type { Token } from '../engine/api';

const decoder = new TextDecoder('utf-8', { fatal: true });

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => `⟨${byte.toString(16).toUpperCase().padStart(2, '0')}⟩`).join('');
}

export function tokenText(token: Token): string {
  let text: string;
  try {
    text = decoder.decode(token.bytes);
  } catch {
    return hex(token.bytes);
  }
  return text.replaceAll(' ', '·').replaceAll('\n', '⏎').replaceAll('\t', '⇥').replaceAll('\r', '␍') || '∅';
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
