// The words of the panels below the figure: what every language has to provide; loaded with the panels.
import type { ShapeGroupId, ViewPlace } from '../../views/shapes/table';

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

export interface InsideWords {
  readonly shapes: ShapesWords;
}
