// Contrast of every text colour on the paper, and what the colour scales promise.
import { expect, test } from 'vitest';
import { type Palette, palettes } from './palette';
import { colourCells, divergingScale, fallingScale, sequentialScale } from './scale';

function luminance(colour: string): number {
  const channel = (at: number): number => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

const themes = Object.entries(palettes) as [string, Palette][];

test.each(themes)('%s: text has a contrast of at least 4.5, meaningful marks of 3', (_, palette) => {
  const texts = [palette.ink, palette.inkSoft, palette.inkFaint, ...Object.values(palette.text)];
  for (const colour of texts) expect(contrast(colour, palette.paper), colour).toBeGreaterThanOrEqual(4.5);
  for (const colour of Object.values(palette.mark)) {
    expect(contrast(colour, palette.paper), colour).toBeGreaterThanOrEqual(3);
  }
});

const extent = (minimum: number, maximum: number, quantile99: number) => {
  return { minimum, maximum, quantile99, drawn: Float32Array.of(minimum, maximum), pooled: false };
};

test('a diverging scale is symmetric, covers all compared tensors, and is clipped only for outliers', () => {
  expect(divergingScale('residual', [extent(-1, 2, 1.9), extent(-3, 1, 2)])).toMatchObject({
    limit: 3,
    clipped: false,
  });
  expect(divergingScale('residual', [extent(-1, 500, 1)])).toMatchObject({ limit: 1, clipped: true, maximum: 500 });
});

test('zero is the paper, masked is open, and beyond the scale is its end', () => {
  const { light } = palettes;
  const scale = sequentialScale('probability', 0.5, 0, 1);
  const pixels = colourCells(Float32Array.of(0, Number.NEGATIVE_INFINITY, 0.5, 1), scale, light);
  expect(Array.from(pixels.subarray(0, 4))).toEqual([0xfb, 0xf9, 0xf4, 255]);
  expect(pixels[7]).toBe(0);
  expect(pixels.subarray(8, 12)).toEqual(pixels.subarray(12, 16));
});

test('of differences from a maximum, the maximum has the full colour and what is far below it none', () => {
  const scale = fallingScale('probability', 10, -30, 0);
  const pixels = colourCells(Float32Array.of(0, -10, -30), scale, palettes.light);
  const full = colourCells(Float32Array.of(1), sequentialScale('probability', 1, 0, 1), palettes.light);
  expect(pixels.slice(0, 4)).toEqual(full);
  expect(Array.from(pixels.subarray(4))).toEqual([0xfb, 0xf9, 0xf4, 255, 0xfb, 0xf9, 0xf4, 255]);
  expect(scale.clipped).toBe(true);
});
