// The words of the page: what every language has to provide.

import type { StageKind } from '../../engine/api';
import type { FunctionName } from '../../engine/explanation';
import type { Run } from '../marks/marks';
import type { InsideId, StageId, ThemeChoice } from '../state';
import type { ScreenWords } from './screen';

/**
 * Whether the page opens offline. `ready`: every part of it and its model do. `partly`: the model may lack something.
 * `newer`: so does a newer version, once no page of this one is open.
 * `insecure`: plain http. `unsupported`: the browser keeps nothing here. `failed`: a file could not be kept.
 */
export type Offline = 'ready' | 'partly' | 'newer' | 'insecure' | 'unsupported' | 'failed';

/** What one query of one head reads, as numbers and texts ready to be put into a sentence. */
export interface QueryReading {
  /** Block and head, "3.2". */
  readonly head: string;
  readonly token: string;
  readonly position: number;
  /** The first token: it can read nothing but itself. */
  readonly alone: boolean;
  readonly readings: readonly {
    readonly token: string;
    readonly position: number;
    readonly weight: string;
    readonly self: boolean;
  }[];
  /** Visible keys that are not in `readings`, and their weight together. */
  readonly others: number;
  readonly rest: string;
}

interface BandWords {
  readonly title: string;
  readonly question: (head: string, heads: number) => string;
}

export interface Words {
  readonly language: string;
  readonly page: {
    readonly title: string;
    readonly subtitle: string;
  };
  readonly prompt: {
    readonly label: string;
    readonly hint: string;
    readonly tokens: (count: number) => string;
    /** What pressing the count does. */
    readonly ids: string;
    readonly unused: (unused: number, context: number) => string;
    /** Appends the likeliest token; `token` is null while it is not known. */
    readonly step: string;
    readonly stepTo: (token: string | null) => string;
    readonly undo: string;
    readonly undoing: string;
    readonly empty: string;
  };
  readonly pickers: {
    readonly blocks: string;
    readonly block: (block: number) => string;
    readonly computed: (blocks: number, count: number) => string;
    readonly notComputed: string;
    readonly notLoaded: string;
    readonly notYet: string;
    readonly heads: (block: number) => string;
    readonly headsShort: string;
    readonly head: (head: number) => string;
    readonly headSummary: (head: number, first: string, previous: string, self: string) => string;
  };
  readonly bands: { readonly read: BandWords; readonly combine: BandWords };
  readonly stages: Readonly<Record<StageId, string>>;
  readonly captions: {
    readonly shape: string;
    readonly node: string;
    readonly ggml: string;
    readonly colour: string;
    readonly least: string;
    readonly greatest: string;
    readonly range: (minimum: string, maximum: string) => string;
    readonly bin: string;
    readonly pooled: (columns: number) => string;
  };
  readonly notes: {
    readonly pooled: string;
    readonly clipped: string;
    readonly withoutFirstKey: string;
    readonly fitWeights: string;
  };
  readonly reads: (reading: QueryReading) => readonly Run[];
  readonly screen: ScreenWords;
  readonly rows: {
    readonly binned: (size: number, tokens: number) => string;
    readonly window: (first: number, last: number, tokens: number) => string;
    readonly zoom: string;
    readonly all: string;
    readonly earlier: string;
    readonly later: string;
  };
  readonly readout: {
    readonly hint: string;
    readonly token: string;
    readonly key: string;
    readonly feature: string;
    readonly head: string;
    readonly masked: string;
    readonly largestOf: (count: number) => string;
    readonly exact: string;
    readonly waiting: string;
  };
  readonly breakdown: {
    readonly title: string;
    /** Where in the model, in words. */
    readonly place: (block: number | null, head: number | null) => string;
    readonly path: string;
    readonly back: string;
    readonly close: string;
    readonly waiting: string;
    readonly failed: (message: string) => string;
    /** What is computed, in a sentence; `terms`: how many. */
    readonly says: Readonly<Record<FunctionName, (terms: number) => string>>;
    readonly masked: string;
    readonly view: string;
    readonly follow: (cell: string) => string;
    readonly steps: Readonly<Record<string, string>>;
    readonly constants: Readonly<Record<string, string>>;
    readonly bias: string;
    readonly head: (head: number) => string;
    readonly order: string;
    readonly largest: string;
    readonly inOrder: string;
    readonly value: string;
    readonly used: string;
    readonly weight: string;
    readonly score: string;
    readonly term: string;
    readonly share: string;
    readonly soFar: string;
    readonly context: (count: number) => string;
    readonly more: (count: number) => string;
    readonly rounded: string;
    readonly result: (result: string, error: string, bound: string) => string;
    readonly resultExact: string;
  };
  readonly tensor: {
    readonly role: string;
    readonly label: (title: string, symbol: string, rows: number, columns: number) => string;
    readonly keys: string;
  };
  readonly answer: {
    readonly title: string;
    /** Shows the rest of the list. */
    readonly more: string;
    readonly after: (token: string) => string;
    /** Of a prompt longer than the context. */
    readonly afterCut: (token: string, used: number, tokens: number) => string;
    readonly note: (vocabulary: string) => string;
    readonly noteCut: (vocabulary: string) => string;
    readonly append: (token: string, probability: string) => string;
    readonly partial: string;
    readonly computing: string;
    /** It is not known, and nothing is at work on it. */
    readonly idle: string;
    /** It needs so much more of the model; `host`: of whom, where it is not the page's own. */
    readonly needs: (size: string, host: string | null) => string;
    readonly load: (size: string) => string;
  };
  readonly inside: {
    readonly label: string;
    readonly tabs: Readonly<Record<InsideId, string>>;
    readonly loading: string;
    readonly failed: string;
  };
  readonly options: {
    readonly names: string;
    readonly theme: Readonly<Record<ThemeChoice, string>>;
    readonly themeLabel: string;
    readonly present: string;
    /** What pressing it does. */
    readonly presenting: string;
    /** What keys do meanwhile. */
    readonly leave: string;
  };
  readonly model: {
    readonly label: string;
    readonly facts: (blocks: number, heads: number, width: number, size: string) => string;
    readonly ownFile: string;
    readonly drop: string;
    /** The list of models is being read. */
    readonly list: string;
    readonly opening: (name: string) => string;
    readonly loading: (name: string, loaded: string, total: string) => string;
    readonly none: string;
    readonly stop: string;
    readonly retrying: (failure: string) => string;
    readonly blockNeeds: (block: number, size: string, host: string | null) => string;
  };
  /** Of a model on another host. */
  readonly origin: {
    readonly rows: (host: string) => string;
    readonly whole: (host: string) => string;
    readonly load: (size: string) => string;
  };
  /** What an address asks for in vain. */
  readonly address: {
    readonly unread: (name: string, value: string) => string;
    readonly block: (block: number, blocks: number) => string;
    readonly head: (head: number, heads: number) => string;
    readonly row: (row: number, tokens: number) => string;
    readonly off: (heads: string) => string;
    readonly cell: string;
  };
  readonly drop: {
    readonly others: (taken: string, others: readonly string[]) => string;
    readonly folder: (name: string) => string;
  };
  readonly computing: {
    readonly stage: Readonly<Record<StageKind, (block: number) => string>>;
    readonly progress: (stage: string, rows: number, count: number) => string;
  };
  readonly offline: Readonly<Record<Offline, string>>;
  /** Which action the host's policy forbids, and the directive that does. */
  readonly forbidden: (directive: string, address: string) => string;
  readonly failure: {
    readonly open: (name: string, message: string) => string;
    readonly compute: (message: string) => string;
    readonly stays: (name: string) => string;
    readonly instead: (name: string) => string;
    readonly lostFile: (name: string) => string;
    readonly notAccepted: (address: string) => string;
    readonly foreign: (host: string) => string;
    readonly loadFrom: (host: string) => string;
    readonly loadRowsFirst: string;
    readonly again: string;
    readonly manifest: (message: string) => string;
    readonly manifestEntries: (count: number) => string;
    readonly dismiss: string;
  };
}
