// Finds the merges of a byte-pair encoding from its tokens alone, in order of rank.
// A token was made by one merge, when all tokens before it could already be made and none after it: encoding its bytes
// with the tokens before it leaves exactly the merge's two parts.

/**
 * @param {string[]} tokens in order of rank, one character per byte; those of one byte have no merge
 * @returns {[string, string][]} the parts of each longer token
 */
export function deriveMerges(tokens) {
  const ranks = new Map(tokens.map((token, rank) => [token, rank]));
  const merges = [];
  for (const [rank, token] of tokens.entries()) {
    if (token.length === 1) continue;
    const parts = encodeBelow(token, rank, ranks);
    if (parts.length !== 2) throw new Error(`Token ${rank} comes apart into ${parts.length} pieces, expected 2`);
    merges.push(parts);
  }
  return merges;
}

function encodeBelow(token, limit, ranks) {
  const parts = token.split('');
  for (;;) {
    let best = limit;
    let at = -1;
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(parts[i] + parts[i + 1]);
      if (rank < best) [best, at] = [rank, i];
    }
    if (at < 0) return parts;
    parts.splice(at, 2, parts[at] + parts[at + 1]);
  }
}
