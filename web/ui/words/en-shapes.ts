// The words of the shape table, in English.
import type { ShapesWords } from './inside';

const count = (value: number): string => value.toLocaleString('en-GB');

export const enShapes: ShapesWords = {
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
    attn_contrib: 'each head’s part',
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
