// What a figure shows now, derived from what it was given and from the tokens of its prompt.
import type { Edit, Engine, Token } from '../engine/api';
import type { FigureState } from '../ui/state';
import type { FigureInput } from './input';
import type { PromptText } from './prompt-tokens';
import { type FigureQueries, runOf } from './queries';

export interface Now {
  readonly input: FigureInput;
  readonly engine: Engine;
  readonly queries: FigureQueries;
  readonly text: PromptText;
  /** Those that fit the context. */
  readonly tokens: readonly Token[];
  /** The heads that are off, as the engine takes them. */
  readonly edits: readonly Edit[];
  /** Names the run: its tokens and the heads off. */
  readonly key: string;
  /** The lit token. */
  readonly row: number;
}

export function nowOf(input: FigureInput, queries: FigureQueries, text: PromptText): Now {
  const { off, offBy } = input.state;
  const tokens = text.tokens.slice(0, text.used);
  const edits = off.map((place) => ({ ...place, by: offBy }));
  const key = runOf(tokens, edits);
  return { input, engine: text.engine, queries, text, tokens, edits, key, row: litRow(input.state, text.used) };
}

/** The lit token: the last one, unless another is chosen. */
export function litRow(state: FigureState | undefined, used: number): number {
  const last = Math.max(0, used - 1);
  return Math.min(state?.row ?? last, last);
}
