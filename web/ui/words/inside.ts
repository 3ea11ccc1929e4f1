// The words of the panels below the figure: what every language has to provide; loaded with the panels.
import type { CheckName } from '../../engine/api';

/** The groups of the shape table, in the order in which llama.cpp builds them. */
export const shapeGroups = [
  'embeddings',
  'norm',
  'qkv',
  'split',
  'attention',
  'head',
  'concat',
  'projection',
  'residual',
  'mlp',
  'output',
  'logits',
] as const;
export type ShapeGroupId = (typeof shapeGroups)[number];

/** Where a view lies in the node that holds its values. */
export interface ViewPlace {
  readonly base: string;
  readonly elements: number;
  readonly bytes: number;
  /** Bytes from one index to the next along each ggml axis. */
  readonly strides: readonly number[];
}

export interface ShapesWords {
  readonly lead: string;
  readonly table: string;
  readonly columns: {
    readonly stage: string;
    readonly symbol: string;
    readonly shape: string;
    readonly shapeFor: (tokens: number) => string;
    readonly node: string;
    readonly ggml: string;
    readonly view: string;
  };
  readonly groups: Readonly<Record<ShapeGroupId, string>>;
  /** What llama.cpp does there; `width` is D. */
  readonly notes: Readonly<Record<ShapeGroupId, (width: number) => string>>;
  readonly inLlamaCpp: string;
  /** By the node's name without its block. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Of a node that llama.cpp does not have. */
  readonly ours: string;
  readonly view: (place: ViewPlace) => string;
  readonly copy: string;
  readonly copied: string;
  readonly notCopied: string;
}

export interface LogWords {
  readonly lead: string;
  readonly table: string;
  readonly filter: string;
  /** A filter to try. */
  readonly example: string;
  readonly logical: string;
  readonly allValues: string;
  readonly allBlocks: string;
  readonly invalid: (reason: string) => string;
  readonly found: (count: number, of: number) => string;
  readonly section: (kind: 'before' | 'block' | 'after', block: number) => string;
  readonly columns: {
    readonly name: string;
    readonly operation: string;
    readonly operands: string;
    readonly shape: string;
    readonly sum: string;
  };
  /** Where ours differs by design, or one operation does several things; by the node's name without its block. */
  readonly notes: Readonly<Record<string, string>>;
  readonly unnamed: string;
  readonly read: string;
  readonly compute: string;
  readonly load: (bytes: string) => string;
  readonly failed: (message: string) => string;
}

/** Of a table of what was found, with a button that fills it. */
interface TableWords {
  readonly run: string;
  readonly again: string;
  readonly load: (bytes: string) => string;
  readonly outcome: (count: number, failed: number) => string;
  readonly failed: (message: string) => string;
  readonly holds: string;
  readonly fails: string;
}

export interface ChecksWords extends TableWords {
  readonly lead: string;
  readonly table: string;
  readonly place: (block: number, prompt: string, tokens: number) => string;
  readonly running: string;
  readonly columns: {
    readonly identity: string;
    readonly compared: string;
    readonly error: string;
    readonly bound: string;
    readonly verdict: string;
  };
  readonly identities: Readonly<Record<CheckName, string>>;
  /** How many numbers have other bits. */
  readonly differ: (count: number) => string;
}

export interface PublishedWords extends TableWords {
  readonly title: string;
  readonly lead: string;
  readonly running: (compared: number) => string;
  readonly columns: {
    readonly what: string;
    readonly expected: string;
    readonly got: string;
    readonly difference: string;
    readonly tolerance: string;
    readonly verdict: string;
  };
}
