// The view state: one typed value and its one codec, kept in the URL fragment (a query would send the prompt to the host).

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
  readonly withoutFirstKey: boolean;
  /** The colours of the weights end at their 0.99 quantile. */
  readonly fitWeights: boolean;
}

/** What the whole page shows. */
export interface ViewState extends FigureState {
  /** An id of the models' manifest, or a URL. */
  readonly model: string;
  readonly theme: ThemeChoice;
  /** The open panel below the figure. */
  readonly inside: InsideId | null;
  readonly load: LoadChoice;
}

/** A state that is wanted; `step`: as a step of the browser's history, to which Back returns. */
export interface StateChange<T> {
  readonly part: Partial<T>;
  readonly step: boolean;
}

export const initialState: ViewState = {
  prompt: 'The cat sat on the mat because it was',
  model: 'embedded',
  block: 0,
  head: 0,
  row: null,
  cell: null,
  path: [],
  from: null,
  names: false,
  withoutFirstKey: false,
  fitWeights: false,
  theme: 'auto',
  inside: null,
  load: 'auto',
};

const natural = (text: string | null): number | null => (text !== null && /^\d{1,7}$/.test(text) ? Number(text) : null);

function cellOf(text: string | null): CellPlace | null {
  const [name, row, column] = text?.split('.') ?? [];
  const stage = stageIds.find((id) => id === name);
  const [t, i] = [natural(row ?? null), natural(column ?? null)];
  return stage && t !== null && i !== null ? { stage, row: t, column: i } : null;
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
  if (state.prompt !== initialState.prompt) fields.set('prompt', state.prompt);
  if (state.model !== initialState.model) fields.set('model', state.model);
  if (state.block !== 0) fields.set('block', String(state.block));
  if (state.head !== 0) fields.set('head', String(state.head));
  if (state.row !== null) fields.set('row', String(state.row));
  if (state.cell) fields.set('cell', `${state.cell.stage}.${state.cell.row}.${state.cell.column}`);
  if (state.path.length > 0) fields.set('trail', state.path.map(fieldOfCell).join('*'));
  if (state.from !== null) fields.set('from', String(state.from));
  if (state.names) fields.set('names', '1');
  if (state.withoutFirstKey) fields.set('skip0', '1');
  if (state.fitWeights) fields.set('fit', '1');
  if (state.theme !== 'auto') fields.set('theme', state.theme);
  if (state.inside) fields.set('inside', state.inside);
  if (state.load !== 'auto') fields.set('load', state.load);
  return fields.toString();
}

/** Whatever is missing or makes no sense is as in the initial state. */
export function decodeState(fragment: string): ViewState {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  return {
    prompt: fields.get('prompt') ?? initialState.prompt,
    model: fields.get('model') ?? initialState.model,
    block: natural(fields.get('block')) ?? 0,
    head: natural(fields.get('head')) ?? 0,
    row: natural(fields.get('row')),
    cell: cellOf(fields.get('cell')),
    path: pathOf(fields.get('trail')),
    from: natural(fields.get('from')),
    names: fields.get('names') === '1',
    withoutFirstKey: fields.get('skip0') === '1',
    fitWeights: fields.get('fit') === '1',
    theme: themeChoices.find((choice) => choice === fields.get('theme')) ?? 'auto',
    inside: insideIds.find((id) => id === fields.get('inside')) ?? null,
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
      !sameNumber(value, read.get(name) ?? defaults[name]),
  );
}

/** "007" is 7. */
const sameNumber = (a: string, b = ''): boolean => /^\d{1,7}$/.test(a) && Number(a) === Number(b || Number.NaN);

/** What a field may say although the address leaves it out then; prompt and model may be any text. */
const defaults: Readonly<Record<string, string>> = {
  block: '0',
  head: '0',
  row: '',
  cell: '',
  trail: '',
  from: '',
  names: '0',
  skip0: '0',
  fit: '0',
  theme: 'auto',
  inside: '',
  load: 'auto',
};
