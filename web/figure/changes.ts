// Changes of a figure's state that a reader asks for.
import type { FigureState, HeadPlace } from '../ui/state';

/** A longer prompt, in which nothing is selected yet. */
export const appended = ({ prompt }: FigureState, text: string): Partial<FigureState> => ({
  row: null,
  cell: null,
  from: null,
  path: [],
  prompt: prompt + text,
});

/** A head is off that was on, or on that was off. */
export function toggled({ off }: FigureState, { block, head }: HeadPlace): Partial<FigureState> {
  const others = off.filter((one) => one.block !== block || one.head !== head);
  const now = others.length < off.length ? others : [...off, { block, head }];
  return { off: now.sort((a, b) => a.block - b.block || a.head - b.head) };
}
