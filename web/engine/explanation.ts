// Where a number comes from, as the engine explains it, and cells as text: "kq_soft_max-0[0,1,0]".
import type { Span } from './tensors';

/** What is applied to the operands. */
export type FunctionName =
  | 'stored'
  | 'same'
  | 'sum'
  | 'products'
  | 'matrix'
  | 'heads'
  | 'scaled'
  | 'masked'
  | 'softmax'
  | 'normalize'
  | 'weighted'
  | 'affine'
  | 'gelu'
  | 'replaced';

/** Cells side by side in a node or in a tensor of the file: at most one span has more than one index. */
export interface Line {
  readonly name: string;
  readonly heads: Span | null;
  /** Null for a vector of the file. */
  readonly rows: Span | null;
  readonly columns: Span;
}

/** One factor of each term of a part. */
export interface Factor {
  /** Names a factor that stands in no tensor ("scale", "half", ...); then `line` is null. */
  readonly constant: string;
  readonly line: Line | null;
  /** As they stand there. */
  readonly values: Float32Array;
  /** As the kernel used them; empty where that is the same. */
  readonly used: Float32Array;
  /** Q8_0: what was used is code times scale. Else empty. */
  readonly codes: Int16Array;
  readonly scales: Float32Array;
}

/** Terms of one make: each the product of its factors, or e^(s - maximum) for a softmax. */
export interface Part {
  readonly factors: readonly Factor[];
  readonly terms: Float64Array;
}

/** A value on the way, with the cell where it stands, if any. */
export interface Step {
  readonly name: string;
  readonly value: number;
  readonly cell: string | null;
}

export interface Explanation {
  readonly cell: string;
  /** Where a view's number lies; the rest then explains that cell. */
  readonly viewOf: string | null;
  readonly function: FunctionName;
  readonly value: number;
  /** A key after the query. */
  readonly masked: boolean;
  readonly parts: readonly Part[];
  /** What else was read: the row that mean and variance are taken over. */
  readonly context: readonly Factor[];
  readonly steps: readonly Step[];
  /** The sum of all terms; for a softmax the share of one. */
  readonly result: number;
  /** The sum of |terms|, of the finest products. */
  readonly magnitude: number;
  readonly error: number;
  /** 1e-6 of the magnitude. */
  readonly bound: number;
}

export interface Cell {
  readonly name: string;
  /** In logical order: [h, t, j], [t, i], or [i] for a vector of the file. */
  readonly indices: readonly number[];
}

export const cellText = ({ name, indices }: Cell): string => `${name}[${indices.join()}]`;

export function parseCell(text: string): Cell | null {
  const [, name, indices] = /^([^[\]]+)\[(\d{1,9}(?:,\d{1,9}){0,2})\]$/.exec(text) ?? [];
  return name && indices ? { name, indices: indices.split(',').map(Number) } : null;
}

/** The cell at an index of a line. */
export function cellAt({ name, heads, rows, columns }: Line, index: number): Cell {
  const at = ([first, last]: Span): number => (last - first > 1 ? first + index : first);
  const indices = [heads, rows, columns].filter((span) => span !== null).map(at);
  return { name, indices };
}
