// The formula of an explained number: with symbols, and with its real values.
import type { NodeInfo } from '../../engine/api';
import { type Explanation, parseCell } from '../../engine/explanation';
import { type Maths, mi, mn, mo, mtext, root, row, sub, sup } from '../../ui/marks/math';
import { decimal, integer } from '../../ui/numbers';
import { cellSymbol, contribution, lineSymbol } from './symbols';

export interface Names {
  readonly nodes: readonly NodeInfo[];
  readonly blocks: number;
  readonly headDim: number;
}

export interface Formula {
  /** P_0[1,0] = e^(s / sqrt(D_h) - max) / sum */
  readonly symbols: Maths;
  /** The same with its values, where they are few. */
  readonly values: Maths | null;
}

const number = (value: number): Maths => mn(decimal(value));
/** A number after an operator: with brackets where it is negative. */
const bracketed = (value: number): Maths => (value < 0 ? row(mo('('), number(value), mo(')')) : number(value));
const headDim = sub(mi('D'), mi('h'));
const sigma = (index: string): Maths => sub(mo('∑'), mi(index));
const exponential = (exponent: Maths): Maths => sup(mi('e'), exponent);

/** The columns of a softmax's table: a score, the same scaled, its exponential. */
export const scoreSymbol = mi('s');
export const scaledSymbol = row(scoreSymbol, mo('÷'), root(headDim));
export const exponentialSymbol = exponential(row(scaledSymbol, mo('−'), mtext('max')));

/** Symbols beside the words for a value on the way, or for a constant. */
export const stepSymbols: Readonly<Record<string, Maths>> = {
  exponential: exponential(mo('…')),
  sum: row(mo('∑'), exponential(mo('…'))),
};
export const constantSymbols: Readonly<Record<string, Maths>> = {
  scale: row(mn(1), mo('÷'), root(headDim)),
};

export function formulaOf(explanation: Explanation, names: Names): Formula {
  const { parts, steps, value } = explanation;
  const cell = parseCell(explanation.cell);
  const own = cell ? cellSymbol(cell, names.nodes, names.blocks) : mtext(explanation.cell);
  const symbol = (part: number, factor: number): Maths => {
    const line = parts[part]?.factors[factor]?.line;
    return line ? lineSymbol(line, names.nodes, names.blocks) : mtext('');
  };
  const at = (part: number, factor: number): number => parts[part]?.factors[factor]?.values[0] ?? Number.NaN;
  const step = (name: string): number => steps.find((one) => one.name === name)?.value ?? Number.NaN;
  const is = (...right: Maths[]): Maths => row(own, mo('='), ...right);
  const gives = (...left: Maths[]): Maths => row(...left, mo('='), number(value));
  const bias = parts.length > 1 ? [mo('+'), symbol(1, 0)] : [];

  switch (explanation.function) {
    case 'stored':
      return {
        symbols: is(symbol(0, 0)),
        values: Number.isNaN(step('code'))
          ? null
          : gives(mn(integer(step('code'))), mo('×'), mn(decimal(step('scale'), 8))),
      };
    case 'same':
      return { symbols: is(symbol(0, 0)), values: null };
    case 'sum':
      return {
        symbols: is(symbol(0, 0), mo('+'), symbol(1, 0)),
        values: gives(number(at(0, 0)), mo('+'), bracketed(at(1, 0))),
      };
    case 'products': {
      const overKeys = parts[0]?.factors[1]?.line?.rows?.[0] === 0 && cell?.name.startsWith('kqv-') === true;
      const index = overKeys ? 'j' : 'd';
      return { symbols: is(sigma(index), symbol(0, 0), mo('×'), symbol(0, 1)), values: null };
    }
    case 'matrix':
      return { symbols: is(sigma('i'), symbol(0, 0), mo('×'), symbol(0, 1), ...bias), values: null };
    case 'heads':
      return {
        symbols: is(sigma('h'), contribution(mi('h')), ...bias),
        values: null,
      };
    case 'scaled':
      return {
        symbols: is(symbol(0, 0), mo('÷'), root(headDim)),
        values: gives(number(at(0, 0)), mo('÷'), root(mn(names.headDim))),
      };
    case 'masked':
      return {
        symbols: is(symbol(0, 0), mo('+'), mi('M')),
        values: gives(number(at(0, 0)), mo('+'), number(at(1, 0))),
      };
    case 'softmax': {
      const symbols = is(
        exponentialSymbol,
        mo('÷'),
        sigma('j'),
        exponential(row(sub(mi('s'), mi('j')), mo('÷'), root(headDim), mo('−'), mtext('max'))),
      );
      const column = cell?.indices.at(-1) ?? 0;
      const raw = parts[0]?.factors[0]?.values[column];
      if (explanation.masked || raw === undefined) return { symbols, values: null };
      const exponent = row(number(raw), mo('÷'), root(mn(names.headDim)), mo('−'), bracketed(step('maximum')));
      return { symbols, values: gives(exponential(exponent), mo('÷'), number(step('sum'))) };
    }
    case 'normalize':
      return {
        symbols: is(
          mo('('),
          contextSymbol(explanation, names),
          mo('−'),
          mtext('mean'),
          mo(')'),
          mo('÷'),
          root(row(mtext('variance'), mo('+'), mi('ε'))),
        ),
        values: gives(
          mo('('),
          number(step('input')),
          mo('−'),
          bracketed(step('mean')),
          mo(')'),
          mo('÷'),
          root(row(number(step('variance')), mo('+'), mn(decimal(step('epsilon'), 5)))),
        ),
      };
    case 'weighted':
    case 'affine':
      return {
        symbols: is(symbol(0, 0), mo('×'), symbol(0, 1), ...bias),
        values: gives(
          number(at(0, 0)),
          mo('×'),
          bracketed(at(0, 1)),
          ...(parts.length > 1 ? [mo('+'), bracketed(at(1, 0))] : []),
        ),
      };
    case 'replaced':
      return { symbols: is(mtext('—')), values: gives(number(at(0, 0))) };
    case 'gelu':
      return {
        symbols: is(
          mi('x'),
          mo('÷'),
          mn(2),
          mo('×'),
          mo('('),
          mn(1),
          mo('+'),
          mtext('tanh'),
          mi('u'),
          mo(')'),
          mtext(',  '),
          mi('u'),
          mo('='),
          root(row(mn(2), mo('÷'), mi('π'))),
          mo('('),
          mi('x'),
          mo('+'),
          mn('0.044715'),
          sup(mi('x'), mn(3)),
          mo(')'),
        ),
        values: gives(
          number(at(0, 0)),
          mo('÷'),
          mn(2),
          mo('×'),
          mo('('),
          mn(1),
          mo('+'),
          bracketed(step('tanh')),
          mo(')'),
        ),
      };
  }
}

function contextSymbol({ context }: Explanation, names: Names): Maths {
  const line = context[0]?.line;
  return line ? lineSymbol(line, names.nodes, names.blocks) : mi('x');
}
