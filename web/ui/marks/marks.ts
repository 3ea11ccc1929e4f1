// Marks: what a drawing is made of. Plain data, no DOM; painted in the page by paint.ts, written as SVG by svg.ts.
import type { Scale } from '../colour/scale';
import type { Maths } from './math';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A raster of cells, row by row; minus infinity is left open. */
export interface CellsMark extends Box {
  readonly kind: 'cells';
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
  readonly scale: Scale;
  /** For a standalone SVG's title; the page labels its tensors itself. */
  readonly label: string;
}

export interface PathMark {
  readonly kind: 'path';
  readonly path: string;
  readonly fill?: string;
  readonly stroke?: string;
  readonly width?: number;
  readonly opacity?: number;
  readonly dash?: string;
}

export type Typeface = 'sans' | 'serif' | 'mono';

/** One stretch of text in one style. */
export interface Run {
  readonly text: string;
  readonly weight?: number;
  readonly italic?: boolean;
  readonly colour?: string;
}

export interface TextMark {
  readonly kind: 'text';
  readonly x: number;
  /** Of the baseline. */
  readonly y: number;
  readonly runs: readonly Run[];
  readonly size: number;
  readonly face: Typeface;
  readonly colour: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Degrees, about (x, y). */
  readonly turn?: number;
  /** A halo in this colour keeps text legible on top of cells and lines. */
  readonly halo?: string;
}

export interface MathsMark {
  readonly kind: 'maths';
  readonly x: number;
  readonly y: number;
  readonly maths: Maths;
  readonly size: number;
  readonly colour: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}

/** A colour ramp from one end of a scale to the other. */
export interface RampMark extends Box {
  readonly kind: 'ramp';
  readonly scale: Scale;
}

export type Mark = CellsMark | PathMark | TextMark | MathsMark | RampMark;

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly marks: readonly Mark[];
}

export const rectPath = ({ x, y, width, height }: Box): string => `M${x} ${y}h${width}v${height}h${-width}z`;

/** Values of a ramp from end to end: what its pixels show. */
export function rampValues(scale: Scale, steps: number): Float32Array {
  const first = scale.kind === 'sequential' ? 0 : -scale.limit;
  const last = scale.kind === 'falling' ? 0 : scale.limit;
  return Float32Array.from({ length: steps }, (_, step) => first + ((last - first) * (step + 0.5)) / steps);
}
