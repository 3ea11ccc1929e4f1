// The view state: one typed value and its one codec, kept in the URL fragment (a query would send the prompt to the host).

import { type Lighting, lightings, type ScoreStage, scoreStages, type WeightScaleChoice, weightScales } from './screen';
import { stepIds } from './tour';

/** What can be selected or pointed at: the tensors of the flow. */
export const stageIds = [
  'z',
  'q',
  'k',
  'v',
  'qh',
  'kh',
  'vh',
  'raw',
  'scaled',
  'masked',
  'p',
  'o',
  'cat',
  'a',
  'x',
  'r',
] as const;
export type StageId = (typeof stageIds)[number];

/** A cell by its coordinates in the stage's own tensor. */
export interface CellPlace {
  readonly stage: StageId;
  readonly row: number;
  readonly column: number;
}

/** A head of a block. */
export interface HeadPlace {
  readonly block: number;
  readonly head: number;
}

/** What stands in for the output of a head that is switched off. */
export const offBys = ['zero', 'mean'] as const;
export type OffBy = (typeof offBys)[number];

export const themeChoices = ['auto', 'light', 'dark'] as const;
export type ThemeChoice = (typeof themeChoices)[number];

/** What is behind the figure: one panel at a time. */
export const insideIds = ['shapes', 'log', 'checks', 'model'] as const;
export type InsideId = (typeof insideIds)[number];
/** What is loaded without being asked for: only what is shown, or in the end all; `auto` goes by where the page stands. */
export const loadChoices = ['auto', 'shown', 'all'] as const;
export type LoadChoice = (typeof loadChoices)[number];

/** What one figure shows of an open model. */
export interface FigureState {
  readonly prompt: string;
  readonly block: number;
  readonly head: number;
  /** The token whose row is lit; null is the last one. */
  readonly row: number | null;
  readonly cell: CellPlace | null;
  /** The explanation path: the number that is explained, last, after those whose operands led to it; cells as text. */
  readonly path: readonly string[];
  /** The first token of the rows shown one by one where a long prompt is binned; null shows all, binned. */
  readonly from: number | null;
  readonly names: boolean;
  /** Heads that are switched off, in ascending order, and what stands in for their outputs. */
  readonly off: readonly HeadPlace[];
  readonly offBy: OffBy;
  /** The stage that the large square shows, and where the colours of the weights end. */
  readonly stage: ScoreStage;
  readonly scale: WeightScaleChoice;
  /** What the bars of the map say. */
  readonly lighting: Lighting;
  /** Token ids are written under the words. */
  readonly ids: boolean;
  /** For a room to read: nothing but the words, the square and the sentence, in large type. */
  readonly present: boolean;
}

/** What the whole page shows. */
export interface ViewState extends FigureState {
  /** An id of the models' manifest, or a URL. */
  readonly model: string;
  readonly theme: ThemeChoice;
  /** The open panel below the figure. */
  readonly inside: InsideId | null;
  /** The step of the tour, counted from 1; null where it is not taken. */
  readonly tour: number | null;
  readonly load: LoadChoice;
}

/** A state that is wanted; `step`: as a step of the browser's history, to which Back returns. */
export interface StateChange<T> {
  readonly part: Partial<T>;
  readonly step: boolean;
}

/** An address that says nothing opens here, on the first of the embedded model's stories. */
export const initialState: ViewState = {
  prompt: 'A dog named Captain Moon met a fox. The fox asked Captain',
  model: 'embedded',
  block: 3,
  head: 2,
  row: null,
  cell: null,
  path: [],
  from: null,
  names: false,
  off: [],
  offBy: 'zero',
  stage: 'p',
  scale: 'auto',
  lighting: 'none',
  ids: false,
  present: false,
  theme: 'auto',
  inside: null,
  tour: null,
  load: 'auto',
};

const natural = (text: string | null): number | null => (text !== null && /^\d{1,7}$/.test(text) ? Number(text) : null);

const tourStep = (step: number | null): number | null =>
  step !== null && step >= 1 && step <= stepIds.length ? step : null;

function cellOf(text: string | null): CellPlace | null {
  const [name, row, column] = text?.split('.') ?? [];
  const stage = stageIds.find((id) => id === name);
  const [t, i] = [natural(row ?? null), natural(column ?? null)];
  return stage && t !== null && i !== null ? { stage, row: t, column: i } : null;
}

/** "3.2,2.6", each head once, in ascending order. */
function headsOf(text: string | null): HeadPlace[] {
  const heads = (text ?? '').split(',').flatMap((one): HeadPlace[] => {
    const [, block, head] = /^(\d{1,4})\.(\d{1,4})$/.exec(one) ?? [];
    return block && head ? [{ block: Number(block), head: Number(head) }] : [];
  });
  return heads
    .sort((a, b) => a.block - b.block || a.head - b.head)
    .filter((one, at, all) => one.block !== all[at - 1]?.block || one.head !== all[at - 1]?.head);
}

/** "kq-0[1,0,2]" as "kq-0.1.0.2", which a URL shows as it is. */
const fieldOfCell = (text: string): string => text.replaceAll(/[[,]/g, '.').replace(']', '');

function pathOf(text: string | null): string[] {
  const cells = text?.split('*') ?? [];
  return cells.flatMap((field) => {
    const [, name, indices] = /^(.+?)((?:\.\d{1,9}){1,3})$/.exec(field) ?? [];
    return name && indices ? [`${name}[${indices.slice(1).replaceAll('.', ',')}]`] : [];
  });
}

/** The fragment without "#": only what differs from the initial state. */
export function encodeState(state: ViewState): string {
  const fields = new URLSearchParams();
  const { prompt, model, block, head } = initialState;
  const opening = state.prompt === prompt && state.model === model && state.block === block && state.head === head;
  // Anything but the opening says in full where it is.
  if (!opening) {
    fields.set('prompt', state.prompt);
    if (state.model !== model) fields.set('model', state.model);
    fields.set('block', String(state.block));
    fields.set('head', String(state.head));
  }
  if (state.row !== null) fields.set('row', String(state.row));
  if (state.cell) fields.set('cell', `${state.cell.stage}.${state.cell.row}.${state.cell.column}`);
  if (state.path.length > 0) fields.set('trail', state.path.map(fieldOfCell).join('*'));
  if (state.from !== null) fields.set('from', String(state.from));
  if (state.names) fields.set('names', '1');
  if (state.off.length > 0) fields.set('off', state.off.map(({ block, head }) => `${block}.${head}`).join());
  if (state.off.length > 0 && state.offBy !== 'zero') fields.set('by', state.offBy);
  if (state.stage !== 'p') fields.set('stage', state.stage);
  if (state.scale !== 'auto') fields.set('scale', state.scale);
  if (state.lighting !== 'none') fields.set('light', state.lighting);
  if (state.ids) fields.set('ids', '1');
  if (state.present) fields.set('present', '1');
  if (state.theme !== 'auto') fields.set('theme', state.theme);
  if (state.inside) fields.set('inside', state.inside);
  if (state.tour !== null) fields.set('tour', String(state.tour));
  if (state.load !== 'auto') fields.set('load', state.load);
  return fields.toString();
}

/** Whatever is missing or makes no sense is as in the initial state. */
export function decodeState(fragment: string): ViewState {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  // Block and head are the opening's only where nothing says that something else is meant.
  const opening = !['prompt', 'model', 'block', 'head'].some((name) => fields.has(name));
  return {
    prompt: fields.get('prompt') ?? initialState.prompt,
    model: fields.get('model') ?? initialState.model,
    block: natural(fields.get('block')) ?? (opening ? initialState.block : 0),
    head: natural(fields.get('head')) ?? (opening ? initialState.head : 0),
    row: natural(fields.get('row')),
    cell: cellOf(fields.get('cell')),
    path: pathOf(fields.get('trail')),
    from: natural(fields.get('from')),
    names: fields.get('names') === '1',
    off: headsOf(fields.get('off')),
    offBy: offBys.find((choice) => choice === fields.get('by')) ?? 'zero',
    stage: scoreStages.find((stage) => stage === fields.get('stage')) ?? 'p',
    scale: weightScales.find((choice) => choice === fields.get('scale')) ?? 'auto',
    lighting: lightings.find((choice) => choice === fields.get('light')) ?? 'none',
    ids: fields.get('ids') === '1',
    present: fields.get('present') === '1',
    theme: themeChoices.find((choice) => choice === fields.get('theme')) ?? 'auto',
    inside: insideIds.find((id) => id === fields.get('inside')) ?? null,
    tour: tourStep(natural(fields.get('tour'))),
    load: loadChoices.find((choice) => choice === fields.get('load')) ?? 'auto',
  };
}

/** Fields of a fragment that are there, but make no sense: name and value, as they stand. */
export function unreadFields(fragment: string): [string, string][] {
  const read = new URLSearchParams(encodeState(decodeState(fragment)));
  return [...new URLSearchParams(fragment.replace(/^#/, ''))].filter(
    ([name, value]) =>
      name in defaults &&
      value !== defaults[name] &&
      value !== read.get(name) &&
      !(name === 'off' && sameHeads(value, read.get(name))) &&
      !sameNumber(value, read.get(name) ?? opening[name] ?? defaults[name]),
  );
}

/** In any order, and any of them more than once. */
function sameHeads(text: string, read: string | null): boolean {
  const named = new Set(text.split(','));
  return named.size === (read?.split(',').length ?? 0) && (read?.split(',').every((one) => named.has(one)) ?? false);
}

/** "007" is 7. */
const sameNumber = (a: string, b = ''): boolean => /^\d{1,7}$/.test(a) && Number(a) === Number(b || Number.NaN);

/** Left out of the address where they are the opening's. */
const opening: Readonly<Record<string, string>> = { block: `${initialState.block}`, head: `${initialState.head}` };

/** What a field may say although the address leaves it out then; prompt and model may be any text. */
const defaults: Readonly<Record<string, string>> = {
  row: '',
  cell: '',
  trail: '',
  from: '',
  names: '0',
  off: '',
  by: 'zero',
  stage: 'p',
  scale: 'auto',
  light: 'none',
  ids: '0',
  present: '0',
  block: '',
  head: '',
  theme: 'auto',
  inside: '',
  tour: '',
  load: 'auto',
};
