// The words of the first screen's pictures: what every language has to provide.
import type { Lighting, ScoreStage } from '../screen';

/** The sizes that the letters stand for. */
export interface LettersShape {
  readonly blocks: number;
  readonly tokens: number;
  readonly width: number;
  readonly heads: number;
}

export interface ScreenWords {
  readonly language: string;
  /** An invitation under the pictures. */
  readonly hint: string;
  /** What the letters stand for, folded away: a question, and paragraphs of text and symbols. */
  readonly letters: {
    readonly title: string;
    readonly of: (shape: LettersShape) => readonly (readonly { readonly symbol?: string; readonly text: string }[])[];
  };
  /** The switch of the focused head. */
  readonly switch: {
    readonly on: (head: string) => string;
    readonly off: (head: string) => string;
    /** No block follows that could change. */
    readonly last: string;
  };
  /** What is switched off, beside the prediction. */
  readonly edits: {
    readonly off: (heads: string) => string;
    readonly allOn: string;
    /** What stands in for the outputs of the heads that are off, and the offer of the other. */
    readonly by: Readonly<Record<'zero' | 'mean', string>>;
    readonly insteadBy: Readonly<Record<'zero' | 'mean', string>>;
  };
  readonly try: {
    readonly ask: (token: string) => string;
    /** `seconds`: about what is left; null while nothing tells. */
    readonly running: (done: number, all: number, seconds: number | null) => string;
    readonly stop: string;
    readonly show: (head: string) => string;
    /** Before the heads that come next. */
    readonly next: string;
    readonly also: (head: string, after: string) => string;
    readonly most: (head: string, token: string, before: string, after: string) => string;
  };
  readonly stories: string;
  /** The link to the tour. */
  readonly tour: string;
  /** Of the line of tokens with their weights. */
  readonly line: {
    readonly label: string;
    readonly keys: string;
    /** Under the selected token. */
    readonly reading: (head: string) => string;
    /** What is known of a token; `weight` is a phrase, or empty where nothing is known. */
    readonly token: (text: string, position: number, ids: string, codes: string, weight: string) => string;
    readonly weight: (weight: string, tokens: number) => string;
    readonly later: string;
    readonly accept: (text: string, probability: string) => string;
  };
  /** Of the map of all heads. */
  readonly map: {
    readonly label: string;
    readonly keys: string;
    readonly block: string;
    readonly head: string;
    readonly absent: string;
    readonly pending: string;
    readonly off: string;
    readonly cell: (head: string, states: readonly string[]) => string;
    /** Before the choices of what the bars say. */
    readonly lights: string;
    readonly lighting: Readonly<Record<Lighting, string>>;
    /** What a bar says; `token` is the likeliest next one. */
    readonly measures: (lighting: Lighting, token: string) => string;
    readonly fullBar: (value: string) => string;
    /** What bars of negative numbers look like. */
    readonly below: string;
    readonly colours: (limit: string) => string;
    readonly heads: (block: number) => string;
    readonly effect: (token: string, value: string) => string;
    readonly effects: (token: string) => string;
  };
  /** Of the large square of scores and weights. */
  readonly weights: {
    readonly role: string;
    readonly label: (stage: string, head: string, tokens: number) => string;
    readonly keys: string;
    readonly stagesLabel: string;
    readonly stages: Readonly<Record<ScoreStage, string>>;
    readonly says: Readonly<Record<ScoreStage, string>>;
    readonly scale: { readonly auto: string; readonly whole: string; readonly fitted: string };
    readonly scaleLabel: string;
    readonly range: (least: string, greatest: string) => string;
    readonly data: (least: string, greatest: string) => string;
    readonly quantile: string;
    readonly all: string;
    readonly clipped: string;
    readonly belowTen: string;
    readonly binned: (rows: number, columns: number) => string;
    readonly notBinned: string;
    readonly pending: string;
    readonly tip: (query: string, key: string, value: string) => string;
    readonly closed: string;
  };
}
