// Writes a drawing as a standalone SVG: the same marks as in the page, without DOM.
import type { Palette } from '../colour/palette';
import { colourCells } from '../colour/scale';
import type { Drawing, Mark, MathsMark, TextMark, Typeface } from './marks';
import { rampValues } from './marks';
import { spans } from './math';
import { pngUrl } from './png';

export const faces: Readonly<Record<Typeface, string>> = {
  sans: "'Source Sans 3 Variable', 'Source Sans 3', 'Segoe UI', Roboto, sans-serif",
  serif: "'Source Serif 4 Variable', 'Source Serif 4', Georgia, serif",
  mono: "'Source Code Pro Variable', 'Source Code Pro', Menlo, Consolas, monospace",
};

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => escapes[letter] ?? letter);
const number = (value: number): string => String(Math.round(value * 100) / 100);

type Attributes = Readonly<Record<string, string | number | undefined>>;

function tag(name: string, attributes: Attributes, inside = ''): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? number(value) : escaped(String(value))}"`)
    .join('');
  return inside ? `<${name}${written}>${inside}</${name}>` : `<${name}${written}/>`;
}

function image(
  values: Float32Array,
  rows: number,
  columns: number,
  mark: Mark & { kind: 'cells' | 'ramp' },
  palette: Palette,
) {
  const { x, y, width, height } = mark;
  const href = pngUrl(colourCells(values, mark.scale, palette), columns, rows);
  const title = mark.kind === 'cells' ? tag('title', {}, escaped(mark.label)) : '';
  const attributes = { x, y, width, height, preserveAspectRatio: 'none', 'image-rendering': 'pixelated', href };
  return tag('image', attributes, title);
}

function text(mark: TextMark): string {
  const runs = mark.runs.map((run) =>
    tag(
      'tspan',
      { 'font-weight': run.weight, 'font-style': run.italic ? 'italic' : undefined, fill: run.colour },
      escaped(run.text),
    ),
  );
  const halo = mark.halo
    ? { stroke: mark.halo, 'stroke-width': 3, 'stroke-linejoin': 'round', 'paint-order': 'stroke' }
    : {};
  return tag(
    'text',
    {
      x: mark.x,
      y: mark.y,
      'font-size': mark.size,
      'font-family': faces[mark.face],
      fill: mark.colour,
      'text-anchor': mark.anchor,
      transform: mark.turn ? `rotate(${mark.turn} ${number(mark.x)} ${number(mark.y)})` : undefined,
      ...halo,
    },
    runs.join(''),
  );
}

function maths(mark: MathsMark): string {
  const shift = { base: 0, sub: 0.22, sup: -0.38 };
  let at = 0;
  const parts = spans(mark.maths).map((span) => {
    const moved = (shift[span.script] - at) * mark.size;
    at = shift[span.script];
    return tag(
      'tspan',
      {
        dy: moved || undefined,
        'font-style': span.italic ? 'italic' : undefined,
        'font-size': span.script === 'base' ? undefined : mark.size * 0.72,
      },
      escaped(span.text),
    );
  });
  return tag(
    'text',
    {
      x: mark.x,
      y: mark.y,
      'font-size': mark.size,
      'font-family': faces.serif,
      fill: mark.colour,
      'text-anchor': mark.anchor,
      'xml:space': 'preserve',
    },
    parts.join(''),
  );
}

function element(mark: Mark, palette: Palette): string {
  switch (mark.kind) {
    case 'cells':
      return image(mark.values, mark.rows, mark.columns, mark, palette);
    case 'ramp':
      return image(rampValues(mark.scale, 64), 1, 64, mark, palette);
    case 'path':
      return tag('path', {
        d: mark.path,
        fill: mark.fill ?? 'none',
        stroke: mark.stroke,
        'stroke-width': mark.width,
        'stroke-dasharray': mark.dash,
        opacity: mark.opacity,
      });
    case 'text':
      return text(mark);
    case 'maths':
      return maths(mark);
  }
}

export function svgText(drawing: Drawing, palette: Palette): string {
  const { width, height } = drawing;
  const ground = tag('rect', { width, height, fill: palette.paper });
  const body = drawing.marks.map((mark) => element(mark, palette)).join('\n');
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height,
    viewBox: `0 0 ${number(width)} ${number(height)}`,
  };
  return tag('svg', attributes, `\n${ground}\n${body}\n`);
}
