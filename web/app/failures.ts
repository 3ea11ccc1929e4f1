// Failures in words.

/** What went wrong, as a sentence. */
export function message(error: unknown): string {
  const text =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
  const sentence = /^\w+:\/\//.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Failures that lie in what was loaded already: only reading the file anew can help. */
const SPOILT = new Set(['bad_weights', 'changed', 'corrupt']);

export const isSpoilt = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && SPOILT.has(String(error.code));
