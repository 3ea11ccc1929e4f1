// Paints marks in the page: cells on canvases, lines and text in one SVG, formulas as MathML. No style attributes.
import type { Palette } from '../colour/palette';
import { colourCells } from '../colour/scale';
import type { CellsMark, Drawing, MathsMark, PathMark, RampMark, TextMark } from './marks';
import { rampValues } from './marks';
import type { Maths } from './math';
import { plain } from './math';
import { faces } from './svg';

const SVG = 'http://www.w3.org/2000/svg';
const MATHML = 'http://www.w3.org/1998/Math/MathML';

function svgElement(name: string, attributes: Readonly<Record<string, string | number | undefined>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, String(value));
  }
  return element;
}

/** Places an element of an absolutely positioned layer. */
export function place(element: HTMLElement, x: number, y: number, width?: number, height?: number): void {
  element.style.setProperty('left', `${x}px`);
  element.style.setProperty('top', `${y}px`);
  if (width !== undefined) element.style.setProperty('width', `${width}px`);
  if (height !== undefined) element.style.setProperty('height', `${height}px`);
}

/** A canvas with one pixel per cell. */
export function paintCells(mark: CellsMark | RampMark, palette: Palette): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.className = 'cells';
  const [rows, columns] = mark.kind === 'cells' ? [mark.rows, mark.columns] : [1, 128];
  const values = mark.kind === 'cells' ? mark.values : rampValues(mark.scale, columns);
  canvas.width = columns;
  canvas.height = rows;
  if (values.length > 0) {
    const image = new ImageData(colourCells(values, mark.scale, palette), columns, rows);
    canvas.getContext('2d')?.putImageData(image, 0, 0);
  }
  place(canvas, mark.x, mark.y, mark.width, mark.height);
  return canvas;
}

function text(mark: TextMark): SVGElement {
  const element = svgElement('text', {
    x: mark.x,
    y: mark.y,
    'font-size': mark.size,
    'font-family': faces[mark.face],
    fill: mark.colour,
    'text-anchor': mark.anchor,
    transform: mark.turn ? `rotate(${mark.turn} ${mark.x} ${mark.y})` : undefined,
    stroke: mark.halo,
    'stroke-width': mark.halo ? 3 : undefined,
    'stroke-linejoin': mark.halo ? 'round' : undefined,
    'paint-order': mark.halo ? 'stroke' : undefined,
  });
  for (const run of mark.runs) {
    const span = svgElement('tspan', {
      'font-weight': run.weight,
      'font-style': run.italic ? 'italic' : undefined,
      fill: run.colour,
    });
    span.textContent = run.text;
    element.append(span);
  }
  return element;
}

const leaf = { identifier: 'mi', operator: 'mo', number: 'mn', text: 'mtext' } as const;

/** A formula as MathML elements. */
function mathElement(maths: Maths): Element {
  const make = (name: string, ...inside: (Element | string)[]): Element => {
    const element = document.createElementNS(MATHML, name);
    element.append(...inside);
    return element;
  };
  switch (maths.kind) {
    case 'row':
      return make('mrow', ...maths.parts.map(mathElement));
    case 'sub':
      return make('msub', mathElement(maths.base), mathElement(maths.script));
    case 'sup':
      return make('msup', mathElement(maths.base), mathElement(maths.script));
    case 'subsup':
      return make('msubsup', mathElement(maths.base), mathElement(maths.sub), mathElement(maths.sup));
    case 'root':
      return make('mrow', make('mo', '√'), overlined(make('mrow', mathElement(maths.inside))));
    default:
      return make(leaf[maths.kind], maths.text);
  }
}

/** Under a root's bar. A browser's own root draws neither sign nor bar in a font without a table of mathematics. */
function overlined(inside: Element): Element {
  if ('style' in inside) {
    const { style } = inside as MathMLElement;
    style.setProperty('border-top', '0.065em solid currentColor');
    style.setProperty('padding', '0.12em 0.08em 0');
  }
  return inside;
}

export function mathDocument(maths: Maths): Element {
  const element = document.createElementNS(MATHML, 'math');
  element.setAttribute('aria-label', plain(maths));
  element.append(mathElement(maths));
  return element;
}

/** A formula's baseline lies this far below its box's top: the style sheet has a strut of this height. */
export const STRUT = 40;

function formula(mark: MathsMark): HTMLElement {
  const element = document.createElement('div');
  element.className = `maths ${mark.anchor ?? 'start'}`;
  element.style.setProperty('color', mark.colour);
  element.style.setProperty('font-size', `${mark.size}px`);
  element.append(mathDocument(mark.maths));
  place(element, mark.x, mark.y - STRUT);
  return element;
}

function shape(mark: PathMark): SVGElement {
  return svgElement('path', {
    d: mark.path,
    fill: mark.fill ?? 'none',
    stroke: mark.stroke,
    'stroke-width': mark.width,
    'stroke-dasharray': mark.dash,
    opacity: mark.opacity,
  });
}

/** One SVG with the marks that are not cells or formulas. */
export function vectorLayer(drawing: Drawing): SVGElement {
  const { width, height, marks } = drawing;
  const svg = svgElement('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
  for (const mark of marks) {
    if (mark.kind === 'text') svg.append(text(mark));
    else if (mark.kind === 'path') svg.append(shape(mark));
  }
  return svg;
}

/** All layers of a drawing, back to front. */
export function paint(drawing: Drawing, palette: Palette): Element[] {
  const rasters: Element[] = [];
  const formulas: Element[] = [];
  for (const mark of drawing.marks) {
    if (mark.kind === 'cells' || mark.kind === 'ramp') rasters.push(paintCells(mark, palette));
    else if (mark.kind === 'maths') formulas.push(formula(mark));
  }
  return [...rasters, vectorLayer(drawing), ...formulas];
}
