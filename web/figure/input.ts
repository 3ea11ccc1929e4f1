// What a figure is given, and what it tells: its whole interface to the page around it.
import type { ComputeProgress, Engine, Stage, Token } from '../engine/api';
import type { Theme } from '../ui/colour/palette';
import type { FigureState, HeadPlace, StateChange } from '../ui/state';
import type { Words } from '../ui/words/words';
import type { Allowed } from './queries';

export interface FigureInput {
  /** An open model, which other figures may share; null while there is none. */
  readonly engine: Engine | null;
  readonly state: FigureState;
  readonly words: Words;
  readonly theme: Theme;
  /** What may be loaded without asking. */
  readonly allowed: Allowed;
  /** Whom the model's bytes are asked of, where it is not the page's own host. */
  readonly host: string | null;
}

/** Heads off that the model does not have are left out: whoever holds the state says so. */
export function fitting(input: FigureInput): FigureInput {
  const config = input.engine?.info.config;
  const has = ({ block, head }: HeadPlace): boolean =>
    !config || (block < config.blockCount && head < config.headCount);
  if (input.state.off.every(has)) return input;
  return { ...input, state: { ...input.state, off: input.state.off.filter(has) } };
}

/** How far a figure is, all of it about the engine that it was given. */
export interface FigureStatus {
  /** The text that the tokens are those of; null while this engine has not given any. */
  readonly prompt: string | null;
  readonly tokens: readonly Token[];
  /** The first so many tokens, which fit the context. */
  readonly used: number;
  /** The lit token. */
  readonly row: number;
  /** Blocks whose attention has been computed for these tokens, and one more once there is an answer. */
  readonly computed: number;
  /** A picture of this engine's numbers is drawn. */
  readonly drawn: boolean;
  /** The likeliest token after these, where it is known and can be appended. */
  readonly likeliest: Token | null;
}

export type FigureNews = 'tokens' | 'picture' | 'heads' | 'answer' | 'progress';

/** The figure's events, by their types. */
export interface FigureEvents {
  /** Another state is wanted: whoever holds the state decides, and shows it. */
  'hf-change': StateChange<FigureState>;
  /** More of the model is wanted than may be loaded: the reader has asked for it. */
  'hf-allow': Stage;
  /** `goal` needs so many bytes that may not be loaded: the figure is left without it. */
  'hf-lacks': { readonly goal: Stage; readonly size: number };
  'hf-failure': unknown;
  /** What is being computed; null when nothing is any more. */
  'hf-computing': ComputeProgress | null;
  /** The status has changed: there are new tokens, pictures, heads or an answer. */
  'hf-news': FigureNews;
}
