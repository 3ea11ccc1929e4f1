// The first screen of a figure: the words with their weights, the map of all heads, the large square of one head, the
// sentence of what it reads, and beside them whatever the figure puts there.
import type { NextToken, Token } from '../engine/api';
import type { Palette } from '../ui/colour/palette';
import { h } from '../ui/dom';
import { mathDocument } from '../ui/marks/paint';
import { parseTex } from '../ui/marks/tex';
import { percent } from '../ui/numbers';
import { readingRuns } from '../ui/reading';
import type { Lighting } from '../ui/screen';
import type { CellPlace, FigureState } from '../ui/state';
import { tokenText } from '../ui/tokens';
import type { Words } from '../ui/words/words';
import type { HeadPlace, MapCell } from '../views/map/drawing';
import '../views/map/element';
import { mapPlan } from '../views/map/drawing';
import type { WeightsData } from '../views/weights/data';
import '../views/weights/element';
import { planWeights } from '../views/weights/plan';
import '../views/words/element';
import { LightingElement } from './lighting';
import type { BlockHeads, HeadMeasures, Square } from './shown';
import type { Trial } from './trials';

export interface ScreenView {
  readonly state: FigureState;
  readonly words: Words;
  readonly palette: Palette;
  readonly tokens: readonly Token[];
  readonly row: number;
  readonly blocks: number;
  readonly heads: number;
  /** Numbers per token, D. */
  readonly width: number;
  /** Null while it is not computed. */
  readonly square: Square | null;
  readonly map: ReadonlyMap<number, BlockHeads>;
  /** Blocks up to this one may be loaded without asking. */
  readonly allowed: number;
  readonly next: NextToken | null;
  readonly trial: Trial;
  /** What each head writes into the likeliest token's logit; by "block.head". */
  readonly written: ReadonlyMap<string, number>;
}

/** So many heads are named once each was tried; the map has all. */
const RANKED = 4;

/** Lines of the prompt in sight. */
const LINES = { page: 2, present: 4 } as const;

/** Another head's row, under the pointer in the map. */
export interface HoveredRow extends HeadPlace {
  readonly weights: Float32Array;
}

const measureOf = (
  lighting: Lighting,
  at: HeadPlace,
  measures: HeadMeasures | undefined,
  written: ReadonlyMap<string, number>,
): number | null => {
  if (lighting === 'none') return null;
  if (lighting === 'writes') return written.get(`${at.block}.${at.head}`) ?? null;
  const value = measures?.[lighting] ?? null;
  return value !== null && Number.isFinite(value) ? value : null;
};

/** How large the square and how high the map may be, from the style sheet, which knows the window. */
const room = (element: Element): { side: number; map: number } => {
  const style = getComputedStyle(element);
  const pixels = (name: string): number => Number.parseFloat(style.getPropertyValue(name)) || 420;
  return { side: pixels('--square'), map: pixels('--map-height') };
};

/** What the screen asks of the figure. */
export interface ScreenActions {
  /** Switches a head off, or on again. */
  toggle(place: HeadPlace): void;
  change(part: Partial<FigureState>): void;
  tryHeads(): void;
  /** Ends the trial of all heads. */
  stop(): void;
}

/** "3.2" */
const nameOf = ({ block, head }: HeadPlace): string => `${block}.${head}`;

export class Screen {
  readonly #line = h('hf-words');
  readonly #map = h('hf-map');
  readonly #lighting = new LightingElement();
  readonly #square = h('hf-weights');
  readonly #sentence = h('p', { class: 'sentence', role: 'status' });
  readonly #switch = h('button', { type: 'button', class: 'switch' });
  readonly #switchNote = h('span', { class: 'note' });
  readonly #hint = h('p');
  readonly #letters = h('details', { class: 'letters' });
  readonly #edits = h('div', { class: 'edits', role: 'status', hidden: true });
  readonly #trial = h('div', { class: 'trial', role: 'status' });
  readonly element = h(
    'section',
    { class: 'screen', hidden: true },
    h('div', { class: 'line' }, this.#line),
    h('div', { class: 'map' }, this.#lighting, this.#map),
    h('div', { class: 'hero' }, this.#square, h('div', { class: 'head' }, this.#switch, this.#switchNote)),
    h('div', { class: 'side' }, this.#edits, h('div', { class: 'answer' }), this.#trial),
    this.#sentence,
    h('div', { class: 'hint' }, this.#hint, this.#letters),
  );
  #view: ScreenView | null = null;
  #hovered: HoveredRow | null = null;

  readonly #actions: ScreenActions;

  constructor(actions: ScreenActions) {
    this.#actions = actions;
    this.#switch.addEventListener('click', () => {
      const state = this.#view?.state;
      if (state) actions.toggle({ block: state.block, head: state.head });
    });
  }

  /** Where the prediction stands. */
  get answer(): Element {
    return this.element.querySelector('.answer') ?? this.element;
  }

  /** How many bins the pictures may have that the screen shows. */
  plan(tokens: number, blocks: number, heads: number, focus: HeadPlace, rowCount: number) {
    const { side, map } = room(this.element);
    const square = planWeights(tokens, rowCount, this.#square.clientWidth || side + 140, side);
    const cells = Array.from({ length: blocks }, () => Array.from({ length: heads }, (): MapCell => pending));
    const size = { width: this.#map.clientWidth || 560, height: map };
    const { bins } = mapPlan({ cells, tokens, focus, lighting: 'none', next: '' }, size);
    return { rows: square.rows, columns: square.columns, bins };
  }

  /** The row of a head that is pointed at in the map; null: of the focused head again. */
  hover(row: HoveredRow | null): void {
    this.#hovered = row;
    if (this.#view) this.#showReading(this.#view);
  }

  /** Scrolls a cell that the large square shows above `end` in the window; false where it shows none or is out of sight. */
  reveal({ stage, row }: CellPlace, end: number): boolean {
    const state = this.#view?.state;
    return state !== undefined && stage === stageOf(state) && this.#square.reveal(row, end);
  }

  show(view: ScreenView): void {
    this.#view = view;
    this.element.hidden = view.tokens.length === 0;
    if (this.element.hidden || this.element.clientWidth === 0) return;
    this.#showReading(view);
    this.#showMap(view);
    this.#showSquare(view);
    this.#showSwitch(view);
    this.#showEdits(view);
    this.#showTrial(view);
    this.#hint.textContent = view.words.screen.hint;
    this.#showLetters(view);
  }

  #showReading({ state, words, palette, tokens, row, square, next }: ScreenView): void {
    const known = square && square.row === row ? square : null;
    const shown = this.#hovered ?? known;
    const [block, head] = [shown?.block ?? state.block, shown?.head ?? state.head];
    const weights = shown?.weights ?? null;
    const lines = state.present ? LINES.present : LINES.page;
    const options = { palette, words: words.screen, ids: state.ids, lines };
    this.#line.show({ tokens, block, head, row, weights, next }, options);
    const runs = weights ? readingRuns({ block, head, tokens, row, weights }, words) : [];
    this.#sentence.replaceChildren(...runs.map(({ text, weight }) => (weight ? h('strong', {}, text) : text)));
  }

  #showMap(view: ScreenView): void {
    const { state, words, palette, tokens, blocks, heads, map, next, trial, written } = view;
    const effects = new Map(trial.answer?.effects.map((one) => [nameOf(one), one.after]));
    const isOff = (block: number, head: number): boolean =>
      state.off.some((off) => off.block === block && off.head === head);
    const cells = Array.from({ length: blocks }, (_, block) =>
      Array.from({ length: heads }, (_, head): MapCell => {
        const known = map.get(block);
        const at = { block, head };
        return {
          state: known ? 'shown' : block > view.allowed ? 'absent' : 'pending',
          picture: known?.pictures[head] ?? null,
          measure: measureOf(state.lighting, at, known?.measures[head], written),
          effect: effects.get(nameOf(at)) ?? null,
          off: isOff(block, head),
        };
      }),
    );
    const focus = { block: state.block, head: state.head };
    const token = next ? tokenText(next) : '';
    const { map: height } = room(this.element);
    const data = { cells, tokens: tokens.length, focus, lighting: state.lighting, next: token };
    this.#lighting.show(state.lighting, token, words.screen);
    this.#map.show(data, { height, palette, words: words.screen });
  }

  #showSquare({ state, words, palette, tokens, square }: ScreenView): void {
    if (!square) return;
    const { side } = room(this.element);
    const { block, head, rows, pictures, row, weights } = square;
    const cell = state.cell && { row: state.cell.row, column: state.cell.column };
    const selected = state.cell?.stage === stageOf(state) ? cell : null;
    const data: WeightsData = { tokens, block, head, rows, pictures, row, weights };
    const { stage, scale } = state;
    const options = { side, stage, scale, palette, words: words.screen, terse: state.present, cell: selected };
    this.#square.show(data, options);
  }

  #showLetters({ tokens, width, heads, blocks, words }: ScreenView): void {
    const { title, of } = words.screen.letters;
    const paragraphs = of({ tokens: tokens.length, width, heads, blocks }).map((runs) =>
      h(
        'p',
        {},
        ...runs.flatMap(({ symbol, text }) => [...(symbol ? [mathDocument(parseTex(symbol, {}))] : []), text]),
      ),
    );
    this.#letters.replaceChildren(h('summary', {}, title), ...paragraphs);
  }

  /** What is off, beside the prediction, and how to have all on again. */
  #showEdits({ state, words }: ScreenView): void {
    const { off, offBy } = state;
    const said = words.screen.edits;
    this.#edits.hidden = off.length === 0;
    if (off.length === 0) return;
    const action = (text: string, act: () => void): HTMLElement => {
      const button = h('button', { type: 'button', class: 'quiet' }, text);
      button.addEventListener('click', act);
      return button;
    };
    const other = offBy === 'zero' ? 'mean' : 'zero';
    this.#edits.replaceChildren(
      h('strong', {}, said.off(off.map(nameOf).join(', '))),
      action(said.allOn, () => this.#actions.change({ off: [], offBy: 'zero' })),
      h('span', {}, said.by[offBy]),
      action(said.insteadBy[other], () => this.#actions.change({ offBy: other })),
    );
  }

  #showTrial({ words, next, trial, heads, blocks, state, tokens }: ScreenView): void {
    const said = words.screen.try;
    const parts: (HTMLElement | string)[] = [];
    const token = next ? tokenText(next) : '';
    if (trial.done !== null) {
      const stop = h('button', { type: 'button', class: 'quiet' }, said.stop);
      stop.addEventListener('click', () => this.#actions.stop());
      const all = blocks * heads - state.off.length;
      const left = trial.done > 0 ? (trial.elapsed / trial.done) * (all - trial.done) : null;
      parts.push(h('span', {}, said.running(trial.done, all, left)), stop);
    } else if (trial.answer) {
      const { before, effects } = trial.answer;
      const [most, ...others] = [...effects].sort((a, b) => a.after - b.after).slice(0, RANKED);
      const show = (place: HeadPlace, text: string): HTMLElement => {
        const button = h('button', { type: 'button', class: 'quiet' }, text);
        button.addEventListener('click', () => this.#actions.change({ block: place.block, head: place.head }));
        return button;
      };
      if (most) {
        parts.push(h('span', {}, said.most(nameOf(most), token, percent(before), percent(most.after))));
        parts.push(show(most, said.show(nameOf(most))));
      }
      if (others.length > 0) parts.push(h('span', {}, said.next));
      parts.push(...others.map((one) => show(one, said.also(nameOf(one), percent(one.after)))));
    } else if (next && tokens.length > 1) {
      const ask = h('button', { type: 'button', class: 'switch' }, said.ask(token));
      ask.addEventListener('click', () => this.#actions.tryHeads());
      parts.push(ask);
    }
    this.#trial.replaceChildren(...parts);
  }

  #showSwitch({ state, words, blocks }: ScreenView): void {
    const off = state.off.some(({ block, head }) => block === state.block && head === state.head);
    const name = `${state.block}.${state.head}`;
    this.#switch.textContent = off ? words.screen.switch.on(name) : words.screen.switch.off(name);
    this.#switch.setAttribute('aria-pressed', String(off));
    const last = off && state.block === blocks - 1;
    this.#switchNote.textContent = last ? words.screen.switch.last : '';
  }
}

const stageOf = ({ stage }: FigureState): string => (stage === 'lessMaximum' ? 'masked' : stage);

const pending: MapCell = { state: 'pending', picture: null, measure: null, effect: null, off: false };
