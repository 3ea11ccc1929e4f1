// The words of the comparison with published values, in English.
import type { PublishedWords } from './inside';

const count = (value: number): string => value.toLocaleString('en-GB');

export const enPublished: PublishedWords = {
  holds: 'holds',
  fails: 'FAILS',
  title: 'Published values of GPT-2 small',
  lead:
    'This model has GPT-2 small’s shape and vocabulary, so it can be compared with what is published for GPT-2 small: ' +
    'token ids, embeddings, raw scores, softmax, values and outputs of heads, probabilities of the next token and a greedy ' +
    'continuation. Another model of the same shape has other numbers.',
  run: 'Verify against published values',
  again: 'Verify again',
  load: (size) => `Load ${size} and verify against published values`,
  running: (compared) => `${count(compared)} compared …`,
  outcome: (compared, failed) => `${count(compared)} compared, ${count(failed)} failed.`,
  failed: (message) => `The comparison stopped. ${message}`,
  columns: {
    what: 'what',
    expected: 'expected',
    got: 'got',
    difference: 'difference',
    tolerance: 'tolerance',
    verdict: 'verdict',
  },
};
