// The words of the checks, in English.
import type { ChecksWords } from './inside';

const count = (value: number): string => value.toLocaleString('en-GB');

export const enChecks: ChecksWords = {
  again: 'Check again',
  holds: 'holds',
  fails: 'FAILS',
  lead:
    'What must hold of any run, whatever the weights are. Each is measured on the numbers of this run; the bound is what ' +
    'rounding to single precision alone may leave.',
  table: 'Checks of the block',
  place: (block, prompt, tokens) =>
    `Block ${block}, “${prompt}”, ${tokens === 1 ? '1 token' : `${count(tokens)} tokens`}.`,
  run: 'Check this block',
  load: (size) => `Load ${size} and check this block`,
  running: 'Checking …',
  outcome: (of, failed) => (failed === 0 ? `All ${of} hold.` : `${failed} of ${of} FAIL.`),
  failed: (message) => `The checks stopped. ${message}`,
  columns: {
    identity: 'what must hold',
    compared: 'numbers',
    error: 'largest error',
    bound: 'bound',
    verdict: 'verdict',
  },
  identities: {
    softmax_sum: 'The attention weights of each query sum to 1.',
    masked_zero: 'They are exactly 0 for every key after the query.',
    head_output: 'A head’s output is its weights times its values.',
    concat: 'Concat is the heads’ outputs side by side, bit for bit.',
    contributions: 'The attention update is the sum of one contribution per head, and the bias.',
    residual: 'The block’s output is its input plus attention update plus MLP.',
    causality: 'Another token in the middle leaves every row before it as it was, bit for bit.',
    continuation: 'Continuing from the KV cache gives what computing afresh gives, bit for bit.',
  },
  differ: (differing) => `${count(differing)} differ`,
};
