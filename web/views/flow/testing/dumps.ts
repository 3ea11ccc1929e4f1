// For tests: a figure's data made from the tensors that llama.cpp computed for the small model of cpp/testdata.
import { readFileSync } from 'node:fs';
import type { ModelInfo, Picture, Span, Token } from '../../../engine/api';
import { stageIds } from '../../../ui/state';
import type { FlowData, FlowPart } from '../data';
import type { Layout } from '../layout';
import { nodeName, stageColumns } from '../stages';

const FOLDER = new URL('../../../../cpp/testdata/gpt2-mini/cat/', import.meta.url);

export interface Dump {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

/** Little-endian float32 in C order, format version 1. */
function readNpy(name: string): Dump {
  const file = readFileSync(new URL(`${name}.npy`, FOLDER));
  const length = file.readUInt16LE(8);
  const header = file.toString('latin1', 10, 10 + length);
  const shape = (/'shape': \(([^)]*)\)/.exec(header)?.[1] ?? '').split(',').filter((part) => part.trim() !== '');
  return { shape: shape.map(Number), values: new Float32Array(file.buffer.slice(file.byteOffset + 10 + length)) };
}

const HEADS = 4;

/** llama.cpp has no node for the scaled and the masked scores. */
export function dump(node: string): Dump {
  const block = node.split('-')[1];
  if (!node.startsWith('kq_scaled') && !node.startsWith('kq_masked')) return readNpy(node);
  const { shape, values } = readNpy(`kq-${block}`);
  const tokens = shape[2] ?? 0;
  const scale = Math.sqrt(16);
  const masked = node.startsWith('kq_masked');
  const scaled = values.map((value, index) => {
    const [query, key] = [Math.floor(index / tokens) % tokens, index % tokens];
    return masked && key > query ? Number.NEGATIVE_INFINITY : value / scale;
  });
  return { shape, values: scaled };
}

/** One element of a node's logical tensor. */
export function element({ shape, values }: Dump, head: number, row: number, column: number): number {
  const [rows, columns] = shape.slice(-2) as [number, number];
  return values[((shape.length === 3 ? head * rows : 0) + row) * columns + column] ?? Number.NaN;
}

/** As the engine pools: the signed value of largest magnitude in each bin. */
export function pool(tensor: Dump, head: number, rows: Span, columns: Span, height: number, width: number): Picture {
  const lengths = [rows[1] - rows[0], columns[1] - columns[0]] as const;
  const binSize = [Math.ceil(lengths[0] / height), Math.ceil(lengths[1] / width)] as const;
  const shape = [Math.ceil(lengths[0] / binSize[0]), Math.ceil(lengths[1] / binSize[1])] as const;
  const data = new Float32Array(shape[0] * shape[1]).fill(Number.NEGATIVE_INFINITY);
  const sizes: number[] = [];
  let [minimum, maximum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < lengths[0]; row++) {
    for (let column = 0; column < lengths[1]; column++) {
      const value = element(tensor, head, rows[0] + row, columns[0] + column);
      if (!Number.isFinite(value)) continue;
      minimum = Math.min(minimum, value);
      maximum = Math.max(maximum, value);
      sizes.push(Math.abs(value));
      const bin = Math.floor(row / binSize[0]) * shape[1] + Math.floor(column / binSize[1]);
      const known = data[bin] ?? 0;
      if (!Number.isFinite(known) || Math.abs(value) > Math.abs(known)) data[bin] = value;
    }
  }
  sizes.sort((a, b) => a - b);
  return { shape, data, binSize, minimum, maximum, quantile99: sizes[Math.ceil(0.99 * sizes.length) - 1] ?? 0 };
}

export const model: ModelInfo = {
  name: 'gpt2-mini',
  fileSize: 0,
  config: {
    blockCount: 2,
    contextLength: 64,
    embeddingLength: 64,
    feedForwardLength: 256,
    headCount: HEADS,
    headDim: 16,
    vocabularySize: 272,
    layerNormEpsilon: 1e-5,
  },
  tiedOutput: true,
  shapedLikeGpt2Small: false,
  nodes: [
    {
      name: 'wqkv_b',
      suffix: '',
      symbol: '',
      stage: 'attention',
      perBlock: true,
      ours: false,
      axes: ['T', '3D'],
      ggmlAxes: ['3D', 'T'],
      view: null,
    },
  ],
};

export const shape = { tokens: 13, width: 64, heads: HEADS, headDim: 16 };

/** The prompt of the dumps, as the small model's tokens. */
const texts = ['The', ' cat', ' s', 'at', ' ', 'at', ' cat', ',', ' th', 'en', ' the', ' cat', ' sat'];

const ENGLISH = [
  'A',
  ' dog',
  ' named',
  ' Captain',
  ' Moon',
  ' met',
  ' a',
  ' fox',
  '.',
  ' The',
  ' internationalization',
  'W',
];

/** Texts of so many tokens: the dumps' prompt at its own length, else words short and long. */
export const promptOf = (count: number): string[] =>
  count === shape.tokens ? texts : Array.from({ length: count }, (_, index) => ENGLISH[index % ENGLISH.length] ?? '');

export const tokensOf = (prompt: readonly string[]): Token[] =>
  prompt.map((text, id) => ({ id, bytes: new TextEncoder().encode(text) }));

/** The figure of one head; `plan` says how many bins each tensor gets. */
export function catData(block: number, head: number, plan: Layout): FlowData {
  const rows: Span = [0, shape.tokens];
  const boxes = plan.lines.flatMap((line) => line.boxes);
  const parts = stageIds.map((stage): [typeof stage, FlowPart] => {
    const box = boxes.find(({ id }) => id === stage);
    const region = { node: nodeName(stage, block), head, rows, columns: stageColumns(stage, shape) };
    const tensor = dump(region.node);
    const picture = pool(tensor, head, rows, region.columns, box?.rows ?? 1, box?.columns ?? 1);
    return [stage, { stage, region, picture }];
  });
  const row = shape.tokens - 1;
  const softmax = dump(nodeName('p', block));
  const weights = Float32Array.from({ length: shape.tokens }, (_, key) => element(softmax, head, row, key));
  const tokens = tokensOf(texts);
  return { model, tokens, block, head, shape, rows, parts: new Map(parts), query: { row, weights } };
}
