// Formulas as a small tree: rendered as MathML in the page, as text spans in a standalone SVG, as plain text for labels.

export type Maths =
  | { readonly kind: 'identifier' | 'operator' | 'number' | 'text'; readonly text: string }
  | { readonly kind: 'row'; readonly parts: readonly Maths[] }
  | { readonly kind: 'sub' | 'sup'; readonly base: Maths; readonly script: Maths }
  | { readonly kind: 'subsup'; readonly base: Maths; readonly sub: Maths; readonly sup: Maths }
  | { readonly kind: 'root'; readonly inside: Maths };

export const mi = (text: string): Maths => ({ kind: 'identifier', text });
export const mo = (text: string): Maths => ({ kind: 'operator', text });
export const mn = (value: number | string): Maths => ({ kind: 'number', text: String(value) });
export const mtext = (text: string): Maths => ({ kind: 'text', text });
export const row = (...parts: Maths[]): Maths => ({ kind: 'row', parts });
export const sub = (base: Maths, script: Maths): Maths => ({ kind: 'sub', base, script });
export const sup = (base: Maths, script: Maths): Maths => ({ kind: 'sup', base, script });
export const subsup = (base: Maths, low: Maths, high: Maths): Maths => ({ kind: 'subsup', base, sub: low, sup: high });
export const root = (inside: Maths): Maths => ({ kind: 'root', inside });

const SPACED = new Set(['+', '=', '×', '−', '÷', '→']);

/** One piece of a formula set as text. */
export interface Span {
  readonly text: string;
  readonly italic: boolean;
  readonly script: 'base' | 'sub' | 'sup';
}

/** A formula as text spans, for SVG. */
export function spans(maths: Maths, script: Span['script'] = 'base'): Span[] {
  switch (maths.kind) {
    case 'row':
      return maths.parts.flatMap((part) => spans(part, script));
    case 'sub':
    case 'sup':
      return [...spans(maths.base, script), ...spans(maths.script, maths.kind)];
    case 'subsup':
      return [...spans(maths.base, script), ...spans(maths.sub, 'sub'), ...spans(maths.sup, 'sup')];
    case 'root':
      return [{ text: '√', italic: false, script }, ...spans(maths.inside, script)];
    case 'operator':
      return [{ text: SPACED.has(maths.text) ? ` ${maths.text} ` : maths.text, italic: false, script }];
    default:
      return [{ text: maths.text, italic: maths.kind === 'identifier', script }];
  }
}

export const plain = (maths: Maths): string =>
  spans(maths)
    .map((span) => span.text)
    .join('')
    .trim();
