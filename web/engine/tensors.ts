// Parts of tensors: what is asked for, and how its values come back. Shapes are row-major.

/** Half-open [first, last). */
export type Span = readonly [first: number, last: number];

/** A part of a node's tensor. `head` is ignored for nodes without heads. Full node name: "kq_soft_max-0". */
export interface Region {
  readonly node: string;
  readonly head: number;
  readonly rows: Span;
  readonly columns: Span;
}

export interface Tensor {
  /** [rows, columns] */
  readonly shape: readonly [number, number];
  readonly data: Float32Array;
}

/**
 * A region reduced to at most `height` x `width` bins; each bin holds the signed value of largest magnitude in it
 * (masked scores, minus infinity, only where the whole bin is masked).
 */
export interface Picture extends Tensor {
  /** Rows and columns of the region per bin, e.g. [1, 8]; 1 x 1 where nothing was reduced. The last bin may be smaller. */
  readonly binSize: readonly [number, number];
  /** Least and greatest finite value of the *region*, not of the bins. */
  readonly minimum: number;
  readonly maximum: number;
  /** The 0.99 quantile of |x| over the region's finite values (nearest rank): where a clipped colour scale may end. */
  readonly quantile99: number;
}
