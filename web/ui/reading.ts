// What one query of one head reads, as a sentence with its real weights: on the page, beside the map and for screen readers.
import type { Token } from '../engine/api';
import type { Run } from './marks/marks';
import { share } from './numbers';
import { shortened, tokenText } from './tokens';
import type { Words } from './words/words';

export interface Query {
  readonly block: number;
  readonly head: number;
  readonly tokens: readonly Token[];
  /** The token that reads. */
  readonly row: number;
  /** Its weights on the keys, from key 0; those after `row` are masked. */
  readonly weights: Float32Array;
}

export interface KeyWeight {
  readonly key: number;
  readonly weight: number;
}

/** The largest weights that a query may give, the largest first; of equal ones the earlier key. */
export function largestKeys({ row, weights }: Pick<Query, 'row' | 'weights'>, count = 3): KeyWeight[] {
  const visible = Array.from(weights.subarray(0, row + 1), (weight, key) => ({ key, weight }));
  return visible
    .filter(({ weight }) => Number.isFinite(weight))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, count);
}

/** Weights below this are not told of, but for the largest one. */
const WORTH_A_WORD = 0.1;
const LONGEST = 24;

export function readingRuns(query: Query, words: Pick<Words, 'reads'>): readonly Run[] {
  const { block, head, tokens, row, weights } = query;
  const name = (index: number): string => {
    const token = tokens[index];
    return token ? shortened(tokenText(token), LONGEST) : '';
  };
  const told = largestKeys(query).filter(({ weight }, index) => index === 0 || weight >= WORTH_A_WORD);
  const seen = Math.min(row + 1, weights.length);
  const sum = told.reduce((total, { weight }) => total + weight, 0);
  return words.reads({
    head: `${block}.${head}`,
    token: name(row),
    position: row,
    alone: row === 0,
    readings: told.map(({ key, weight }) => ({
      token: name(key),
      position: key,
      weight: share(weight),
      self: key === row,
    })),
    others: seen - told.length,
    rest: share(Math.max(0, 1 - sum)),
  });
}
