// GPT-2's alphabet: each byte has one printable character, in which GGUF files spell tokens and merges.
const standsForItself = (byte) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;

const SYMBOLS = makeSymbols();

function makeSymbols() {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(standsForItself(byte) ? byte : next++));
}

/** Bytes, as a string of one character each (latin1), spelled in symbols. */
export const spell = (bytes) => Array.from(bytes, (byte) => SYMBOLS[byte.charCodeAt(0)]).join('');
