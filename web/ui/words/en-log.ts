// The words of the runtime log, in English.
import type { LogWords } from './inside';

const count = (value: number): string => value.toLocaleString('en-GB');

/** As the engine says it, with a capital letter. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const enLog: LogWords = {
  lead:
    'The nodes as llama.cpp’s runtime log lists them, in the order in which it runs them, so that the two can be laid ' +
    'side by side. A name opens its values: of many rows the first and the last three, of each the first and last three ' +
    'numbers. Sums run over all elements.',
  table: 'Runtime log',
  filter: 'Filter',
  example: 'blk\\.0\\.attn_output\\.(weight|bias)',
  logical: 'Logical shapes',
  allValues: 'All values',
  allBlocks: 'All blocks',
  invalid: (reason) => `This is no regular expression for the filter. ${sentence(reason)}`,
  found: (found, of) =>
    found === 0
      ? `None of ${count(of)} nodes matches, neither by its own name nor by those of its operands.`
      : `${count(found)} of ${count(of)} nodes, by their own names or those of their operands.`,
  section: (kind, block) =>
    kind === 'block' ? `Block ${block}` : kind === 'before' ? 'Before the blocks' : 'After the last block',
  columns: { name: 'node', operation: 'operation', operands: 'operands', shape: 'shape', sum: 'sum' },
  notes: {
    Qcur: 'A view at 0 elements: nothing is copied.',
    Vcur: 'A view at 2D elements; llama.cpp happens to schedule V before K.',
    Kcur: 'A view at D elements.',
    kq: 'No padding here; llama.cpp pads the axis of keys to 256.',
    kq_soft_max: 'Scale, mask and softmax in one operation.',
    kqv_out: 'Of the permuted heads: this is Concat, there is no concat node.',
    ffn_gelu: 'GELU in float32; llama.cpp passes its input and output through fp16.',
  },
  unnamed: 'Unnamed in llama.cpp.',
  read: 'read',
  compute: 'Compute these values',
  load: (size) => `Load ${size} and compute these values`,
  failed: (message) => `These values cannot be read: ${message}`,
};
