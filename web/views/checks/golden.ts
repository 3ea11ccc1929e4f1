// The form of published/gpt2-small.json, read: texts and numbers that are known of a model, as the command reads them.
import type { ModelInfo } from '../../engine/api';

/** One number of a node. */
export interface KnownNumber {
  /** "kq-0" */
  readonly node: string;
  /** Null for nodes without heads. */
  readonly head: number | null;
  readonly row: number;
  readonly column: number;
  readonly value: number;
}

export interface KnownPrompt {
  readonly text: string;
  readonly numbers: readonly KnownNumber[];
  readonly next: readonly { readonly id: number; readonly logprob: number }[];
  /** Its key, how many tokens, and the text with these. */
  readonly greedy: readonly { readonly key: string; readonly count: number; readonly text: string }[];
}

export interface Golden {
  readonly tolerances: { readonly values: number; readonly scores: number; readonly logprobs: number };
  readonly gguf: Readonly<Record<string, unknown>>;
  readonly tensors: Readonly<Record<string, { readonly shape: readonly number[]; readonly type?: string }>>;
  readonly tensorsPerBlock: number | null;
  readonly tokenize: readonly { readonly text: string; readonly ids: readonly number[] }[];
  readonly mergeRanks: readonly { readonly merge: string; readonly rank: number }[];
  readonly prompts: readonly KnownPrompt[];
}

type Json = Readonly<Record<string, unknown>>;
type Row = readonly (number | '...')[];

const heads: Readonly<Record<string, string>> = {
  kq: 'kq',
  softmax: 'kq_soft_max',
  Q: 'Qcur',
  K: 'Kcur',
  V: 'Vcur',
  O: 'kqv',
};

/** "..." stands for the columns that are not known; those after it are the last of `columns`. */
function elements(row: Row, columns: number): { column: number; value: number }[] {
  const gap = row.indexOf('...');
  return row.flatMap((value, index) => {
    const column = gap >= 0 && index > gap ? columns - (row.length - index) : index;
    return value === '...' ? [] : [{ column, value }];
  });
}

const rowsOf = (node: string, head: number | null, first: number, rows: readonly Row[], columns: number) =>
  rows.flatMap((row, index) =>
    elements(row, columns).map((element): KnownNumber => ({ node, head, row: first + index, ...element })),
  );

/** "softmax head 0": rows from 0 on; "O head 0 query 1, first 3": one row. */
function headNumbers(key: string, value: unknown, block: number): KnownNumber[] {
  const [, kind = '', head, query] = /^(\w+) head (\d+)(?: query (\d+))?(?:, first \d+)?$/.exec(key) ?? [];
  const node = heads[kind];
  if (!node || head === undefined) throw new Error(`published numbers: "${key}" is none of a head`);
  const rows = (query === undefined ? value : [value]) as readonly Row[];
  return rowsOf(`${node}-${block}`, Number(head), Number(query ?? 0), rows, 0);
}

function promptOf(text: string, known: Json, { config }: ModelInfo): KnownPrompt {
  const inputs = ['embd', 'pos_embd', 'inpL'].flatMap((node) =>
    rowsOf(node, null, 0, (known[node] ?? []) as readonly Row[], config.embeddingLength),
  );
  const blocks = Object.entries(known).flatMap(([key, values]) => {
    const [, block] = /^block (\d+)$/.exec(key) ?? [];
    if (block === undefined) return [];
    return Object.entries(values as Json).flatMap(([name, value]) => headNumbers(name, value, Number(block)));
  });
  const greedy = Object.entries(known).flatMap(([key, value]) => {
    const [, count] = /^greedy (\d+) /.exec(key) ?? [];
    return count === undefined ? [] : [{ key, count: Number(count), text: String(value) }];
  });
  const next = (known['next token'] ?? []) as KnownPrompt['next'];
  return { text, numbers: [...inputs, ...blocks], next, greedy };
}

export function readGolden(json: Json, model: ModelInfo): Golden {
  const { tensors = {}, tensors_per_block: perBlock = null, ...gguf } = (json.gguf ?? {}) as Json;
  const { merge_ranks: ranks = {}, ...texts } = (json.tokenize ?? {}) as Json;
  const prompts = Object.entries(json).filter(([key]) => key.startsWith('prompt '));
  return {
    tolerances: json.tolerances as Golden['tolerances'],
    gguf,
    tensors: tensors as Golden['tensors'],
    tensorsPerBlock: perBlock as number | null,
    tokenize: Object.entries(texts).map(([text, ids]) => ({ text, ids: ids as readonly number[] })),
    mergeRanks: Object.entries(ranks as Readonly<Record<string, number>>).map(([merge, rank]) => ({ merge, rank })),
    prompts: prompts.map(([key, known]) => promptOf(key.slice('prompt '.length), known as Json, model)),
  };
}
