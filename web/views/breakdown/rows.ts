// The terms of an explained number as rows of a table: pure data, in order or largest first.
import { cellAt, cellText, type Explanation, type Factor, parseCell } from '../../engine/explanation';

/** One factor of one term. */
export interface Operand {
  /** Null for a constant. */
  readonly cell: string | null;
  readonly constant: string;
  readonly value: number;
  /** Null where it was used as it is. */
  readonly used: number | null;
  readonly code: number | null;
  readonly scale: number | null;
}

export type RowLabel =
  | { readonly kind: 'token'; readonly token: number }
  | { readonly kind: 'head'; readonly head: number }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'bias' }
  | { readonly kind: 'none' };

export interface TermRow {
  readonly label: RowLabel;
  readonly operands: readonly Operand[];
  readonly term: number;
  /** For a softmax, of the sum of all; else null. */
  readonly share: number | null;
  /** The sum of the terms up to this one, in the order shown. */
  readonly soFar: number;
  /** -1 to 1: the term's part of the largest |term|; 0 where the term is infinite, which no bar can show. */
  readonly bar: number;
  /** The term that the explained cell is, of a softmax. */
  readonly own: boolean;
}

export type Order = 'largest' | 'given';

function operand(factor: Factor, index: number): Operand {
  const at = (values: ArrayLike<number>): number | null => values[index] ?? null;
  return {
    cell: factor.line ? cellText(cellAt(factor.line, index)) : null,
    constant: factor.constant,
    value: factor.values[index] ?? Number.NaN,
    used: at(factor.used),
    code: at(factor.codes),
    scale: at(factor.scales),
  };
}

function labelOf(explanation: Explanation, part: number, index: number): RowLabel {
  const terms = explanation.parts[part]?.terms.length ?? 0;
  switch (explanation.function) {
    case 'softmax':
      return { kind: 'token', token: index };
    case 'heads':
      return part === 0 ? { kind: 'head', head: index } : { kind: 'bias' };
    case 'products':
      return explanation.cell.startsWith('kqv-') ? { kind: 'token', token: index } : { kind: 'index', index };
    case 'matrix':
    case 'affine':
      if (part > 0) return { kind: 'bias' };
      return terms > 1 ? { kind: 'index', index: firstColumn(explanation) + index } : { kind: 'none' };
    default:
      return { kind: 'none' };
  }
}

const firstColumn = (explanation: Explanation): number => explanation.parts[0]?.factors[0]?.line?.columns[0] ?? 0;

export function termRows(explanation: Explanation, order: Order): TermRow[] {
  const softmax = explanation.function === 'softmax';
  const column = parseCell(explanation.cell)?.indices.at(-1);
  const terms = explanation.parts.flatMap(({ factors, terms }, part) =>
    Array.from(terms, (term, index) => ({
      label: labelOf(explanation, part, index),
      operands: factors.map((factor) => operand(factor, index)),
      term,
      own: softmax && index === column,
    })),
  );
  if (order === 'largest') terms.sort((a, b) => Math.abs(b.term) - Math.abs(a.term));
  const finite = terms.map(({ term }) => Math.abs(term)).filter(Number.isFinite);
  const largest = finite.reduce((most, size) => Math.max(most, size), 0);
  const sum = terms.reduce((total, { term }) => total + term, 0);
  let soFar = 0;
  return terms.map((row) => {
    soFar += row.term;
    const bar = Number.isFinite(row.term) && largest > 0 ? row.term / largest : 0;
    return { ...row, soFar, bar, share: softmax ? row.term / sum : null };
  });
}

/** The row that mean and variance are taken over. */
export function contextRows(explanation: Explanation): Operand[] {
  return explanation.context.flatMap((factor) => Array.from(factor.values, (_, index) => operand(factor, index)));
}

/** The lines of everything that the number was computed from. */
export function operandLines(explanation: Explanation) {
  const factors = [...explanation.parts.flatMap((part) => part.factors), ...explanation.context];
  return factors.flatMap(({ line }) => (line ? [line] : []));
}
