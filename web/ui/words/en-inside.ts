// The words of the panels below the figure, in English.
import type { ChecksWords, InsideWords, LogWords, PublishedWords, ShapesWords } from './inside';

const count = (value: number): string => value.toLocaleString('en-GB');

const shapes: ShapesWords = {
  lead:
    'Every tensor of one block, as the formulas write it and as llama.cpp keeps it. ggml lists a shape from the ' +
    'contiguous axis on, so it reads backwards; Q, K and V are views, and theirs is not simply the reverse. ' +
    'The calls that are named here build a graph; numbers appear when it runs.',
  table: 'Shapes of all tensors',
  columns: {
    stage: 'stage',
    symbol: 'symbol',
    shape: 'shape',
    shapeFor: (tokens) => (tokens === 1 ? 'for 1 token' : `for ${count(tokens)} tokens`),
    node: 'llama.cpp’s node',
    ggml: 'ggml shape',
    view: 'view',
  },
  groups: {
    embeddings: 'Embeddings',
    norm: 'Layer norm',
    qkv: 'Fused QKV',
    split: 'Split into heads',
    attention: 'Scores and softmax',
    head: 'Head output',
    concat: 'Concat',
    projection: 'Output projection',
    residual: 'Residual sum',
    mlp: 'MLP',
    output: 'Block output',
    logits: 'After the last block',
  },
  inLlamaCpp: 'in llama.cpp (b10435)',
  notes: {
    embeddings: () => 'two calls of ggml_get_rows, and one ggml_add.',
    norm: () => 'build_norm, which is ggml_norm, ggml_mul by the weight and ggml_add of the bias.',
    qkv: () => 'build_qkv, one matrix product with wqkv and one addition of wqkv_b.',
    split: (width) =>
      `three ggml_view_3d of the fused result, at 0, D and 2D elements, which is 0, 4D = ${4 * width} and ` +
      `8D = ${8 * width} bytes. Nothing is copied; the views here are the same.`,
    attention: () =>
      'build_attn_mha: kq is one product of keys and queries, then ggml_soft_max_ext scales, masks and normalises in one ' +
      'operation, so the two steps between have no node there. It also pads the axis of keys to a multiple of 256; here ' +
      'there is no padding.',
    head: () => 'build_attn_mha again: kqv, the product of values and weights.',
    concat: () =>
      'ggml_permute puts the heads beside each other and ggml_cont_2d copies them in that order. There is no concat node.',
    projection: () => 'build_attn: the product with wo, then the addition of wo_b. Neither is named there.',
    residual: () => 'one ggml_add.',
    mlp: () => 'build_norm, then build_ffn: a product and an addition, ggml_gelu, a product and an addition.',
    output: () => 'one ggml_add; this is the next block’s input.',
    logits: () => 'build_norm, then one product with the output matrix, which may be the token embedding itself.',
  },
  nodes: {
    embd: 'token rows',
    pos_embd: 'position rows',
    inpL: 'input of block 0',
    norm: 'normalised',
    norm_w: 'times the weight',
    attn_norm: 'plus the bias',
    wqkv: 'product',
    wqkv_b: 'plus the bias',
    Qcur: 'queries',
    Kcur: 'keys',
    Vcur: 'values',
    kq: 'raw scores',
    kq_scaled: 'scaled',
    kq_masked: 'masked',
    kq_soft_max: 'softmax',
    kqv: 'weighted values',
    kqv_out: 'heads side by side',
    attn_out_mm: 'product',
    attn_out: 'attention update',
    ffn_inp: 'residual stream',
    'norm#1': 'normalised',
    'norm_w#1': 'times the weight',
    ffn_norm: 'plus the bias',
    ffn_up: 'product',
    ffn_up_b: 'plus the bias',
    ffn_gelu: 'GELU',
    ffn_down: 'product',
    ffn_out: 'plus the bias',
    l_out: 'block output',
    result_norm: 'plus the bias',
    result_output: 'logits',
  },
  ours: '(ours)',
  view: ({ base, elements, bytes, strides }) =>
    `view of ${base} at ${elements} elements = ${bytes} bytes, strides ${strides.join(', ')} bytes`,
  copy: 'Copy as Markdown',
  copied: 'Copied.',
  notCopied: 'The browser does not let this page copy. Select the table to copy it.',
};

const log: LogWords = {
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
  invalid: (reason) => `This is no regular expression: ${reason}. It is compared with names of nodes and of operands.`,
  found: (found, of) => `${count(found)} of ${count(of)} nodes, by their own names or those of their operands.`,
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

const verdicts = { again: 'Check again', holds: 'holds', fails: 'FAILS' } as const;

const checks: ChecksWords = {
  ...verdicts,
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

const published: PublishedWords = {
  ...verdicts,
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

export const enInside: InsideWords = { shapes, log, checks, published };
