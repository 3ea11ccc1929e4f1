// What a head does on a prompt, and what the residual stream looks like.

/** Means over queries t >= 1; entropy is divided by the logarithm of the number of visible keys. */
export function headStatistics(probabilities, tokens) {
  const queries = probabilities.slice(1);
  const mean = (of) => queries.reduce((sum, row, i) => sum + of(row, i + 1), 0) / queries.length;
  return {
    first: mean((row) => row[0]),
    previous: mean((row, t) => row[t - 1]),
    same: mean((row, t) => row.reduce((sum, p, s) => sum + (tokens[s] === tokens[t] ? p : 0), 0)),
    entropy: mean((row, t) => entropy(row) / Math.log(t + 1)),
  };
}

/** The largest and the median magnitude of a row. */
export function magnitudes(row) {
  const sorted = Array.from(row, Math.abs).sort((a, b) => a - b);
  return { largest: sorted.at(-1), median: sorted[sorted.length >> 1] };
}

export function entropy(probabilities) {
  return probabilities.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
}
