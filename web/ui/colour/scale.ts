// Colour scales of tensors: from a number to a colour, with everything a legend has to say about it.
import { interpolateLab, piecewise } from 'd3-interpolate';
import type { Palette, Role } from './palette';

export interface Scale {
  readonly role: Role;
  /** Sequential from 0; diverging and symmetric about zero; falling from 0, the full colour, to -limit, the paper. */
  readonly kind: 'sequential' | 'diverging' | 'falling';
  /** The colour scale ends at this magnitude. */
  readonly limit: number;
  /** Whether data beyond `limit` exists. */
  readonly clipped: boolean;
  /** Least and greatest finite value of all tensors drawn with this scale. */
  readonly minimum: number;
  readonly maximum: number;
}

/** What a scale has to know of one tensor. */
export interface Extent {
  readonly minimum: number;
  readonly maximum: number;
  /** The 0.99 quantile of |x| over its elements. */
  readonly quantile99: number;
  /** What is drawn of it, and whether that is bins of several elements. */
  readonly drawn: Float32Array;
  readonly pooled: boolean;
}

/** Beyond this ratio of the largest magnitude to the 0.99 quantile, a linear scale over the range hides the rest. */
const OUTLIER_RATIO = 2.5;

/** The 0.95 quantile of |x| over the cells that are drawn. */
function quantile95(extents: readonly Extent[]): number {
  const sizes = extents.flatMap(({ drawn }) => Array.from(drawn, Math.abs)).filter(Number.isFinite);
  sizes.sort((a, b) => a - b);
  return sizes[Math.ceil(0.95 * sizes.length) - 1] ?? 0;
}

/**
 * Where a clipped scale ends: the 0.99 quantile of the elements. Bins show the largest of many elements, so most of them
 * would lie beyond that: there it is the 0.95 quantile of the bins, unless outliers fill more bins than that leaves out.
 */
function clippedLimit(extents: readonly Extent[]): number {
  const elements = Math.max(...extents.map((extent) => extent.quantile99));
  if (!extents.some(({ pooled }) => pooled)) return elements;
  const bins = quantile95(extents);
  return bins > elements && bins < 2 * OUTLIER_RATIO * elements ? bins : elements;
}

/** One symmetric scale for tensors that are compared. */
export function divergingScale(role: Role, extents: readonly Extent[]): Scale {
  const minimum = Math.min(...extents.map((extent) => extent.minimum));
  const maximum = Math.max(...extents.map((extent) => extent.maximum));
  const largest = Math.max(Math.abs(minimum), Math.abs(maximum));
  const limit = clippedLimit(extents);
  const clipped = limit > 0 && largest > OUTLIER_RATIO * limit;
  return { role, kind: 'diverging', limit: (clipped ? limit : largest) || 1, clipped, minimum, maximum };
}

/** A sequential scale from 0 to `limit`. */
export function sequentialScale(role: Role, limit: number, minimum: number, maximum: number): Scale {
  return { role, kind: 'sequential', limit, clipped: maximum > limit, minimum, maximum };
}

/** A scale of differences from a maximum: 0 has the full colour, `-limit` and what lies below it none. */
export function fallingScale(role: Role, limit: number, minimum: number, maximum: number): Scale {
  return { role, kind: 'falling', limit, clipped: minimum < -limit, minimum, maximum };
}

/** How far a value is along its side of the scale: 0 is the paper, 1 the full colour. */
function depth(value: number, { kind, limit }: Scale): number {
  const size = Math.min(1, Math.abs(value) / limit);
  return kind === 'falling' ? 1 - size : size;
}

const STEPS = 255;
const tables = new Map<string, Uint8Array>();

/** STEPS + 1 colours from zero outwards, interpolated in CIELAB. */
function table(stops: readonly string[]): Uint8Array {
  const key = stops.join();
  const known = tables.get(key);
  if (known) return known;
  const at = piecewise(interpolateLab, [...stops]);
  const made = new Uint8Array((STEPS + 1) * 3);
  for (let step = 0; step <= STEPS; step++) {
    const parts = at(step / STEPS).match(/[\d.]+/g) ?? [];
    for (let channel = 0; channel < 3; channel++) made[step * 3 + channel] = Number(parts[channel]);
  }
  tables.set(key, made);
  return made;
}

/** The RGBA pixels of values; minus infinity (masked) is transparent. */
export function colourCells(values: Float32Array, scale: Scale, palette: Palette): Uint8ClampedArray<ArrayBuffer> {
  const above = table(palette.positive[scale.role]);
  const below = table(palette.negative[scale.role]);
  const pixels = new Uint8ClampedArray(values.length * 4);
  values.forEach((value, index) => {
    if (!Number.isFinite(value)) return;
    const side = value < 0 && scale.kind !== 'falling' ? below : above;
    const step = Math.round(depth(value, scale) * STEPS) * 3;
    pixels[index * 4] = side[step] ?? 0;
    pixels[index * 4 + 1] = side[step + 1] ?? 0;
    pixels[index * 4 + 2] = side[step + 2] ?? 0;
    pixels[index * 4 + 3] = 255;
  });
  return pixels;
}

/** Whether text on this value's cell must be light on dark or dark on light: true where paper reads better. */
export function wantsPaperText(value: number, scale: Scale): boolean {
  return depth(value, scale) > 0.55;
}
