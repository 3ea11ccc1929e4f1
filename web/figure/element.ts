// <hf-figure>: one figure of one prompt: its session of the engine, its state as it is given, and what it draws.
//
// It listens to nothing outside of itself, and holds no state of its own but what the engine has answered: another
// state is asked for with an event, and shown when it is given. Taken out of the document, it frees all that it held.

import { palettes } from '../ui/colour/palette';
import { define, emit, shadow, sheet } from '../ui/dom';
import type { FigureState, HeadPlace, StageId } from '../ui/state';
import { shared, themeVariables } from '../ui/theme';
import { tokenPlain } from '../ui/tokens';
import type { FlowOptions } from '../views/flow/element';
import type { CellReading } from '../views/flow/reading';
import { appended, toggled } from './changes';
import { Explanations } from './explanations';
import { HoveredHead } from './hovered-head';
import { type FigureEvents, type FigureInput, type FigureStatus, fitting } from './input';
import { litRow, type Now, nowOf } from './now';
import { arranged, listen, makeParts } from './parts';
import { pathAfter } from './path';
import { Pointing } from './pointing';
import { PromptTokens } from './prompt-tokens';
import { idsOf } from './queries';
import { flowOptions, rowsShown } from './request';
import { Requests } from './requests';
import type { Results } from './results';
import { Selection } from './selection';
import { figureSheet } from './styles';
import { Trials } from './trials';
import { Written } from './written';

export class FigureElement extends HTMLElement {
  readonly #parts = makeParts({
    toggle: (place) => this.#toggle(place),
    change: (part) => this.#change(part, true),
    tryHeads: () => void this.#tryHeads(),
    stop: () => this.#trials.stop(),
  });
  readonly #colours = sheet('');
  readonly #resizes = new ResizeObserver(() => this.#ask());
  readonly #explanations = new Explanations(
    this.#parts.breakdown,
    () => this.#explained(),
    (error) => this.#tell('hf-failure', error),
  );
  readonly #hovered = new HoveredHead((row) => this.#parts.screen.hover(row));
  readonly #pointing = new Pointing(this.#parts.readout);
  readonly #trials = new Trials(() => this.#paint());
  readonly #written = new Written(() => this.#paint());
  readonly #prompt = new PromptTokens({
    tokens: () => {
      this.#tell('hf-news', 'tokens');
      this.#ask();
    },
    failure: (error) => {
      this.#requests.showAnswer();
      this.#tell('hf-failure', error);
    },
  });
  readonly #requests = new Requests({
    parts: this.#parts,
    input: () => this.#input,
    now: () => this.#now,
    known: () => this.#known,
    waits: () => this.#prompt.asked,
    view: () => this.#view,
    tell: (type, detail) => this.#tell(type, detail),
    paint: () => this.#paint(),
    drawn: (flow) => {
      this.#selection.refit(flow);
      if (!this.#revealed) this.#explained(); // From an address, the explanation may be there first.
    },
  });
  readonly #selection = new Selection(
    this.#requests,
    () => this.#input?.state ?? null,
    (part, step) => this.#change(part, step),
  );
  #input: FigureInput | null = null;
  /** The explained cell has been brought in sight, or there is none. */
  #revealed = true;

  constructor() {
    super();
    const root = shadow(this, shared, this.#colours, figureSheet);
    root.append(...arranged(this.#parts, this));
    listen(root, {
      'hf-append': (text) => this.#append(text),
      'hf-head': (head) => this.#change({ head }, true),
      'hf-focus-head': (place) => this.#change(place, true),
      'hf-hover-head': (place) => this.#hovered.point(place, this.#now, this.#results.map(this.#now?.key ?? '')),
      'hf-toggle-head': (place) => this.#toggle(place),
      'hf-lighting': (part) => this.#change(part, false),
      'hf-stage': (stage) => this.#change({ stage }, false),
      'hf-scale': (scale) => this.#change({ scale }, false),
      'hf-accept': (token) => this.#append(tokenPlain(token)),
      'hf-select': (part) => this.#selection.select(part),
      'hf-path': (path) => this.#follow(path),
      'hf-toggle': (part) => this.#change(part, true),
      'hf-point': (reading) => this.#point(reading),
      'hf-load-answer': () => this.#requests.allowAnswer(),
    });
    this.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && !event.defaultPrevented && this.endExplanation()) event.preventDefault();
    });
  }

  connectedCallback(): void {
    this.#resizes.observe(this.#parts.flow);
    this.#update();
  }

  disconnectedCallback(): void {
    this.#resizes.disconnect();
    this.#use(null);
  }

  /** What is shown now. */
  get input(): FigureInput | null {
    return this.#input;
  }

  show(given: FigureInput): void {
    const before = this.#input;
    const input = fitting(given);
    this.#input = input;
    this.toggleAttribute('present', input.state.present);
    if (input.theme !== before?.theme) this.#colours.replaceSync(themeVariables(':host', input.theme));
    if (input.words !== before?.words) {
      this.#parts.empty.textContent = input.words.prompt.empty;
      this.#parts.readout.show(null, null, input.words);
    }
    if (this.isConnected) this.#update();
  }

  get status(): FigureStatus {
    const text = this.#prompt.latest;
    const { engine, prompt = null, tokens = [], used = 0 } = text ?? {};
    return {
      prompt: engine === this.#requests.engine ? prompt : null,
      tokens,
      used,
      row: litRow(this.#input?.state, used),
      computed: this.#results.computed(idsOf(tokens.slice(0, used))),
      drawn: this.#results.flow !== null,
      likeliest: used < tokens.length ? null : this.#requests.answers.first(this.#now?.key ?? ''),
    };
  }

  /** Asks again for what has failed or was not allowed. */
  retry(): void {
    this.#update();
  }

  /** Scrolls until a tensor of the flow stands in the middle of the window. */
  look(stage: StageId): void {
    this.#parts.flow.look(stage);
  }

  /** Closes the breakdown; whether it was open. */
  endExplanation(): boolean {
    if (!this.#input || this.#input.state.path.length === 0) return false;
    this.#follow([]);
    return true;
  }

  #tell<K extends keyof FigureEvents>(type: K, detail: FigureEvents[K]): void {
    emit(this, type, detail);
  }

  #change(part: Partial<FigureState>, step: boolean): void {
    const state = this.#input?.state;
    if (state) this.#tell('hf-change', { part: { ...part, path: pathAfter(state, part) }, step });
  }

  #use(engine: FigureInput['engine']): void {
    this.#trials.forget();
    this.#written.forget();
    this.#prompt.forget();
    this.#requests.use(engine);
    this.#parts.flow.clear();
    const { words } = this.#input ?? {};
    if (words) this.#explanations.update(null, words);
  }

  #update(): void {
    const input = this.#input;
    if (!input) return;
    if (input.engine !== this.#requests.engine) this.#use(input.engine);
    if (input.engine) void this.#prompt.ask(input.engine, input.state.prompt);
    this.#ask();
    this.#paint();
  }

  /** What is shown, of the last tokens that this engine has given; null while there are none. */
  get #now(): Now | null {
    const [input, text, { queries, engine }] = [this.#input, this.#prompt.latest, this.#requests];
    return input && queries && text && text.engine === engine ? nowOf(input, queries, text) : null;
  }

  /** The same, once the tokens are those of the prompt that is wanted. */
  get #known(): Now | null {
    const now = this.#now;
    return now && now.text.prompt === now.input.state.prompt ? now : null;
  }

  get #results(): Results {
    return this.#requests.results;
  }

  /** Asks the engine for what the state wants to see. */
  #ask(): void {
    const [input, known] = [this.#input, this.#known];
    if (!input) return;
    const none = (this.#prompt.latest?.used ?? 0) === 0;
    this.#parts.empty.hidden = known?.text.used !== 0;
    this.#parts.screen.element.hidden = none;
    this.#parts.flow.hidden = none;
    this.#parts.toggles.hidden = none;
    if (!known) {
      this.#requests.showAnswer();
      return;
    }
    const { engine, tokens } = known;
    if (tokens.length > 0 && this.#selection.fit(engine.info, tokens.length)) return; // It was asked for meanwhile.
    this.#explanations.update({ ...known, path: tokens.length > 0 ? input.state.path : [] }, input.words);
    if (tokens.length > 0 && this.#parts.flow.clientWidth > 0) this.#requests.show(known);
    this.#requests.showAnswer();
    if (tokens.length === 0) this.#tell('hf-computing', null);
  }

  #append(text: string): void {
    if (this.#input) this.#change(appended(this.#input.state, text), false);
  }

  #toggle(place: HeadPlace): void {
    if (this.#input) this.#change(toggled(this.#input.state, place), true);
  }

  #follow(path: readonly string[]): void {
    const { breakdown, flow } = this.#parts;
    const ended = path.length === 0 && breakdown.matches(':focus-within');
    if (ended) flow.focusTensor(this.#input?.state.cell?.stage ?? 'p');
    this.#selection.follow(path, this.#prompt.latest?.used ?? 0);
  }

  get #view(): FlowOptions {
    if (!this.#input) throw new Error('a figure without input draws nothing');
    return flowOptions(this.#input, this.#prompt.latest?.used ?? 0, this.#explanations.operands);
  }

  /** The breakdown covers part of the window, but not the cell that it explains. */
  #explained(): void {
    this.#paint();
    const cell = this.#input?.state.cell;
    const { breakdown, flow, screen } = this.#parts;
    if (!cell || breakdown.hidden) return;
    const end = breakdown.getBoundingClientRect().top;
    this.#revealed = screen.reveal(cell, end) || flow.reveal(cell, end);
  }

  /** Draws what is there; the figure stays as it is until newer numbers arrive. */
  #paint(): void {
    const [input, now, { flow }] = [this.#input, this.#now, this.#results];
    if (!input) return;
    this.#parts.toggles.show(input.state, flow && rowsShown(flow), input.words);
    if (now) this.#showScreen(now);
    if (flow) this.#parts.flow.show(flow, this.#view);
    const next = now && this.#requests.answers.first(now.key);
    if (next && input.state.lighting === 'writes') void this.#written.ask(now, next);
  }

  #showScreen(now: Now): void {
    const { input, engine, tokens, row, key } = now;
    const { state, words, theme, allowed } = input;
    const { blockCount: blocks, headCount: heads, embeddingLength: width } = engine.info.config;
    const map = this.#results.map(key);
    this.#hovered.follow(now, map);
    this.#parts.screen.show({
      state: { ...state, block: Math.min(state.block, blocks - 1), head: Math.min(state.head, heads - 1) },
      words,
      palette: palettes[theme],
      tokens,
      row,
      blocks,
      heads,
      width,
      square: this.#results.square,
      map,
      allowed: allowed.block,
      next: this.#requests.answers.first(key),
      trial: this.#trials.of(trialOf(now)),
      written: this.#written.of(key),
    });
  }

  /** Ranks all heads by what their absence does to the likeliest token. */
  async #tryHeads(): Promise<void> {
    const now = this.#now;
    if (!now) return;
    await this.#trials.run(trialOf(now), (progress) => now.queries.tryHeads(now.input.state.offBy, progress));
  }

  #point(reading: CellReading | null): void {
    const { words, state } = this.#input ?? {};
    if (words) this.#pointing.show(reading, state?.cell ? this.#requests.queries : null, words);
    const frame = this.#parts.flow.readFrame;
    if (frame && !this.#parts.flow.matches(':hover')) this.#parts.readout.place(frame.right, frame.bottom, this);
  }
}

/** Names what is tried: what stands in for a head matters even while all are on. */
const trialOf = ({ key, input }: Now): string => `${key}|${input.state.offBy}`;

define('hf-figure', FigureElement);
