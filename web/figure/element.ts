// <hf-figure>: one figure of one prompt: its session of the engine, its state as it is given, and what it draws.
//
// It listens to nothing outside of itself, and holds no state of its own but what the engine has answered: another
// state is asked for with an event, and shown when it is given. Taken out of the document, it frees all that it held.

import type { Edit, Engine, NextToken, Stage, Token } from '../engine/api';
import { parseCell } from '../engine/explanation';
import { palettes } from '../ui/colour/palette';
import { define, emit, h, shadow, sheet } from '../ui/dom';
import { bytes } from '../ui/numbers';
import type { ScoreStage, WeightScaleChoice } from '../ui/screen';
import type { CellPlace, FigureState, HeadPlace } from '../ui/state';
import { shared, themeVariables } from '../ui/theme';
import { tokenPlain, wellFormed } from '../ui/tokens';
import '../views/answer/element';
import '../views/breakdown/element';
import type { FlowData } from '../views/flow/data';
import type { FlowOptions } from '../views/flow/element';
import '../views/flow/element';
import { placeOfCell } from '../views/flow/places';
import { type CellReading, toBins } from '../views/flow/reading';
import { isFitted } from '../views/weights/data';
import { Answers } from './answers';
import { Explanations } from './explanations';
import { type FigureEvents, type FigureInput, type FigureNews, type FigureStatus, fitting } from './input';
import { fittingPath, inBin, pathAfter } from './path';
import { FigureQueries, idsOf, type QueryEvents, runOf } from './queries';
import './readout';
import { figureRequest, rowsShown } from './request';
import { Screen } from './screen';
import type { BlockHeads, Square } from './shown';
import { shownCell } from './shown-cell';
import { figureSheet } from './styles';
import { Trials } from './trials';
import './toggles';

/** The tokens of a prompt. */
interface Text {
  readonly engine: Engine;
  readonly prompt: string;
  readonly tokens: readonly Token[];
  readonly used: number;
}

/** A new prompt has nothing selected. */
const fresh = { row: null, cell: null, from: null } as const;

export class FigureElement extends HTMLElement {
  readonly #parts = {
    empty: h('p', { class: 'empty', hidden: true }),
    screen: new Screen({
      toggle: (place) => this.#toggleHead(place),
      change: (part) => this.#change(part, true),
      tryHeads: () => void this.#tryHeads(),
      stop: () => this.#trials.stop(),
    }),
    toggles: h('hf-toggles', { hidden: true }),
    flow: h('hf-flow', { hidden: true }),
    answer: h('hf-answer', { slot: 'aside' }),
    breakdown: h('hf-breakdown', { hidden: true }),
    readout: h('hf-readout'),
  };
  readonly #colours = sheet('');
  readonly #answers = new Answers(this.#parts.answer);
  readonly #explanations = new Explanations(this.#parts.breakdown, () => this.#explained());
  readonly #resizes = new ResizeObserver(() => this.#ask());
  #input: FigureInput | null = null;
  /** Null while the figure is not in a document. */
  #queries: FigureQueries | null = null;
  #engine: Engine | null = null;
  #text: Text | null = null;
  /** The prompt that was tokenized last, or is being tokenized. */
  #prompt: string | null = null;
  #data: FlowData | null = null;
  #square: (Square & { readonly key: string }) | null = null;
  /** The heads of each block, for the tokens whose ids these are. */
  #map: { ids: string; readonly blocks: Map<number, BlockHeads> } = { ids: '', blocks: new Map() };
  #computed = 0;
  #reading: CellReading | null = null;
  #hovered: HeadPlace | null = null;
  /** The run and the lit token that its row was asked for. */
  #hoveredRow = '';
  readonly #trials = new Trials(() => this.#paint());
  #written: { key: string; heads: ReadonlyMap<string, number> } = { key: '', heads: new Map() };
  /** The explained cell has been brought in sight, or there is none. */
  #revealed = true;
  /** The explanation path followed the selection to numbers that are still to come. */
  #refit = false;
  /** The last request; null once it is answered. */
  #request: symbol | null = null;

  constructor() {
    super();
    const { empty, screen, toggles, flow, answer, breakdown, readout } = this.#parts;
    screen.answer.replaceChildren(answer);
    const foot = h('div', { class: 'foot' }, breakdown);
    flow.addEventListener('pointermove', (event) => readout.place(event.clientX, event.clientY, this));
    const root = shadow(this, shared, this.#colours, figureSheet);
    root.append(empty, screen.element, toggles, flow, foot, readout);
    const on = <T>(type: string, act: (detail: T) => void): void =>
      root.addEventListener(type, (event) => {
        event.stopPropagation();
        act((event as CustomEvent<T>).detail);
      });
    on<string>('hf-append', (text) => this.#append(text));
    on<number>('hf-head', (head) => this.#change({ head }, true));
    on<HeadPlace>('hf-focus-head', (place) => this.#change(place, true));
    on<HeadPlace | null>('hf-hover-head', (place) => void this.#hover(place));
    on<HeadPlace>('hf-toggle-head', (place) => this.#toggleHead(place));
    on<Partial<FigureState>>('hf-lighting', (part) => this.#change(part, false));
    on<ScoreStage>('hf-stage', (stage) => this.#change({ stage }, false));
    on<WeightScaleChoice>('hf-scale', (scale) => this.#change({ scale }, false));
    on<NextToken>('hf-accept', (token) => this.#append(tokenPlain(token)));
    on<Pick<FigureState, 'row' | 'cell'>>('hf-select', (part) => this.#select(part));
    on<readonly string[]>('hf-path', (path) => this.#follow(path));
    on<Partial<FigureState>>('hf-toggle', (part) => this.#change(part, true));
    on<CellReading | null>('hf-point', (reading) => this.#point(reading));
    on<null>('hf-load-answer', () => this.#allowAnswer());
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
    if (input.theme !== before?.theme) this.#colours.replaceSync(themeVariables(':host', input.theme));
    if (input.words !== before?.words) {
      this.#parts.empty.textContent = input.words.prompt.empty;
      this.#parts.readout.show(null, null, input.words);
    }
    if (this.isConnected) this.#update();
  }

  get status(): FigureStatus {
    const text = this.#text;
    return {
      prompt: text?.engine === this.#engine ? (text?.prompt ?? null) : null,
      tokens: text?.tokens ?? [],
      used: text?.used ?? 0,
      row: this.#row,
      computed: this.#computed,
      drawn: this.#data !== null,
      likeliest: text && text.used < text.tokens.length ? null : this.#answers.first(this.#key),
    };
  }

  /** Asks again for what has failed or was not allowed. */
  retry(): void {
    this.#update();
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

  #news(news: FigureNews): void {
    this.#tell('hf-news', news);
  }

  #change(part: Partial<FigureState>, step: boolean): void {
    const state = this.#input?.state;
    if (state) this.#tell('hf-change', { part: { ...part, path: pathAfter(state, part) }, step });
  }

  /** Another engine, or none: whatever was asked of the one before is let go. */
  #use(engine: Engine | null): void {
    this.#trials.forget();
    this.#written = { key: '', heads: new Map() };
    this.#queries?.close();
    this.#engine = engine;
    this.#queries = engine && new FigureQueries(engine, this.#events);
    this.#prompt = null;
    this.#data = null;
    this.#square = null;
    this.#map = { ids: '', blocks: new Map() };
    this.#computed = 0;
    this.#request = null;
    this.#answers.forget();
    this.#parts.flow.clear();
    const { words } = this.#input ?? {};
    if (words) this.#explanations.update(null, words);
  }

  #update(): void {
    const input = this.#input;
    if (!input) return;
    if (input.engine !== this.#engine) this.#use(input.engine);
    if (this.#queries && input.state.prompt !== this.#prompt) {
      void this.#tokenize(this.#queries, input.engine, input.state.prompt);
    }
    this.#ask();
    this.#paint();
  }

  async #tokenize(queries: FigureQueries, engine: Engine | null, prompt: string): Promise<void> {
    if (!engine) return;
    this.#prompt = prompt;
    const current = (): boolean => queries === this.#queries && prompt === this.#prompt;
    try {
      const tokens = await queries.tokenize(wellFormed(prompt));
      if (!current()) return;
      const before = this.#text && idsOf(this.#text.tokens);
      if (this.#text?.engine !== engine || idsOf(tokens) !== before) this.#computed = 0;
      this.#text = { engine, prompt, tokens, used: Math.min(tokens.length, engine.info.config.contextLength) };
      this.#news('tokens');
      this.#ask();
    } catch (error) {
      if (!current()) return;
      this.#prompt = null;
      this.#showAnswer();
      this.#tell('hf-failure', error);
    }
  }

  /** The tokens of the prompt that is asked for; null while they are not known. */
  get #known(): Text | null {
    const text = this.#text;
    return text && text.engine === this.#engine && text.prompt === this.#input?.state.prompt ? text : null;
  }

  get #used(): readonly Token[] {
    return this.#text?.tokens.slice(0, this.#text.used) ?? [];
  }

  /** The heads that are off, as the engine takes them. */
  get #edits(): readonly Edit[] {
    const { off = [], offBy = 'zero' } = this.#input?.state ?? {};
    return off.map((place) => ({ ...place, by: offBy }));
  }

  /** Names the run that is asked for: its tokens and the heads off. */
  get #key(): string {
    return runOf(this.#used, this.#edits);
  }

  get #row(): number {
    const last = Math.max(0, (this.#text?.used ?? 0) - 1);
    return Math.min(this.#input?.state.row ?? last, last);
  }

  /** Asks the engine for what the state wants to see. */
  #ask(): void {
    const [input, queries, text] = [this.#input, this.#queries, this.#known];
    if (!input) return;
    const none = (this.#text?.used ?? 0) === 0;
    this.#parts.empty.hidden = text?.used !== 0;
    this.#parts.screen.element.hidden = none;
    this.#parts.flow.hidden = none;
    this.#parts.toggles.hidden = none;
    if (!queries || !text) {
      this.#showAnswer();
      return;
    }
    if (text.used > 0 && this.#fitPath(text)) return; // It was asked for meanwhile.
    const { engine } = text;
    const asked = {
      engine,
      queries,
      tokens: this.#used,
      edits: this.#edits,
      path: text.used > 0 ? input.state.path : [],
    };
    this.#explanations.update(asked, input.words);
    if (text.used > 0 && this.#parts.flow.clientWidth > 0) this.#request = this.#show(queries, text, input);
    this.#showAnswer();
    if (text.used === 0) this.#tell('hf-computing', null);
  }

  #show(queries: FigureQueries, text: Text, { state, allowed }: FigureInput): symbol {
    const { request, plan } = figureRequest(state, text.engine, this.#used, this.#row, this.#parts.flow);
    this.#parts.flow.showPending(plan, request.block, request.head, this.#view);
    if (allowed.answer) this.#answers.wait();
    const { blockCount, headCount } = text.engine.info.config;
    const [rows, focus] = [request.rows[1] - request.rows[0], { block: request.block, head: request.head }];
    const screen = this.#parts.screen.plan(text.used, blockCount, headCount, focus, rows);
    const mine = Symbol('request');
    void queries.show(request, plan, screen, allowed).then(() => {
      if (this.#request !== mine) return;
      this.#request = null;
      this.#showAnswer();
      this.#tell('hf-computing', null);
    });
    return mine;
  }

  #showAnswer(): void {
    const input = this.#input;
    if (!input) return;
    const text = this.#known;
    const vocabulary = text?.engine.info.config.vocabularySize ?? 0;
    const question = text && { key: this.#key, tokens: text.tokens, used: text.used, vocabulary };
    const busy = text ? this.#request !== null : this.#prompt !== null;
    this.#answers.show(question, busy && input.allowed.answer, input.host, input.words);
  }

  readonly #events: QueryEvents = {
    progress: (progress) => {
      this.#tell('hf-computing', progress);
      if (progress.stage.kind === 'mlp') this.#count(progress.stage.block + 1);
    },
    square: (key, square) => {
      this.#square = { ...square, key };
      this.#paint();
    },
    flow: (data) => {
      this.#data = data;
      this.#count(data.block + 1);
      this.#paint();
      this.#refitPath(data);
      if (!this.#revealed) this.#explained(); // From an address, the explanation may be there first.
      this.#news('picture');
    },
    heads: (key, block, heads) => {
      if (this.#map.ids !== key) this.#map = { ids: key, blocks: new Map() };
      this.#map.blocks.set(block, heads);
      this.#count(block + 1);
      this.#paint();
    },
    next: (key, next, before) => {
      this.#answers.take(key, next, before);
      this.#showAnswer();
      this.#paint();
      this.#count((this.#engine?.info.config.blockCount ?? 0) + 1);
      this.#news('answer');
    },
    lacks: (goal, size) => this.#lacks(goal, size),
    failure: (error) => {
      this.#tell('hf-failure', error);
      void this.#tellLack();
    },
  };

  #count(blocks: number): void {
    if (blocks <= this.#computed) return;
    this.#computed = blocks;
    this.#news('progress');
  }

  /** What is chosen is not loaded, and the figure says so, instead of showing something else. */
  #lacks(goal: Stage, size: number): void {
    const [input, text] = [this.#input, this.#known];
    if (!input || !text) return;
    if (goal.kind === 'logits') this.#answers.lacks(this.#key, bytes(size));
    else {
      const { request, plan } = figureRequest(input.state, text.engine, this.#used, this.#row, this.#parts.flow);
      this.#data = null;
      this.#parts.flow.showAbsent(plan, request.block, request.head, this.#view);
    }
    this.#tell('hf-lacks', { goal, size });
  }

  /** Loading has ended early: what an answer still lacks is offered again. */
  async #tellLack(): Promise<void> {
    const [queries, text] = [this.#queries, this.#known];
    const size = await queries?.lackingForNext().catch(() => 0); // A prompt or model that was left lacks nothing.
    if (!size || !text || queries !== this.#queries || text !== this.#known) return;
    this.#answers.lacks(this.#key, bytes(size));
    this.#showAnswer();
  }

  #allowAnswer(): void {
    this.#answers.wait();
    const goal = { kind: 'logits', block: 0 } as const;
    this.#tell('hf-allow', goal);
  }

  #append(text: string): void {
    if (this.#input) this.#change({ ...fresh, path: [], prompt: this.#input.state.prompt + text }, false);
  }

  /** A row is lit, or a cell is chosen: then it is explained, in a bin the one that the bin shows. */
  #select({ row, cell }: Pick<FigureState, 'row' | 'cell'>): void {
    if (cell) void this.#explain(row, cell, true);
    else this.#change({ row, cell, path: [] }, (this.#input?.state.path.length ?? 0) > 0);
  }

  async #explain(row: number | null, cell: CellPlace, step: boolean): Promise<void> {
    const [data, queries, before] = [this.#data, this.#queries, this.#input?.state];
    if (!data || !queries) return;
    const text = await shownCell(data, queries, cell);
    if (before === this.#input?.state) this.#change({ row, cell, path: text === null ? [] : [text] }, step);
  }

  /** What is explained follows what is selected; whether it had to. */
  #fitPath({ engine, used }: Text): boolean {
    const state = this.#input?.state;
    if (!state) return false;
    const path = fittingPath(state, engine.info, used);
    if (path === state.path) return false;
    this.#refit = true;
    this.#change({ path }, false);
    return this.#input?.state !== state;
  }

  /** In bins, the selected cell's number is known only now. */
  #refitPath(data: FlowData): void {
    const { block, head, row, cell, path } = this.#input?.state ?? {};
    const last = path?.at(-1);
    if (row === undefined || !cell || !last || data.block !== block || data.head !== head) return;
    if ((this.#refit && toBins(data, cell)) || !inBin(data, cell, last)) void this.#explain(row, cell, false);
    this.#refit = false;
  }

  /** To another number, and in the figure to where it stands, if it is drawn. */
  #follow(path: readonly string[]): void {
    const state = this.#input?.state;
    if (!state) return;
    const cell = parseCell(path.at(-1) ?? '');
    if (!cell && this.#parts.breakdown.matches(':focus-within')) this.#parts.flow.focusTensor(state.cell?.stage ?? 'p');
    const { embeddingLength: width = 0, headCount: heads = 0, headDim = 0 } = this.#engine?.info.config ?? {};
    const shape = { tokens: this.#text?.used ?? 0, width, heads, headDim };
    const place = cell && placeOfCell(cell, state.block, shape);
    if (place) {
      const { block, head } = place;
      this.#change({ block, head: head ?? state.head, row: place.cell.row, cell: place.cell, path }, true);
    } else this.#change({ cell: null, path }, true);
  }

  get #view(): FlowOptions {
    if (!this.#input) throw new Error('a figure without input draws nothing');
    const { words, theme, state } = this.#input;
    const { names, scale, cell } = state;
    const { operands } = this.#explanations;
    const fitWeights = isFitted(scale, this.#used.length);
    return { palette: palettes[theme], words, names, withoutFirstKey: false, fitWeights, cell, operands };
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
    const input = this.#input;
    if (!input) return;
    this.#parts.toggles.show(input.state, this.#data && rowsShown(this.#data), input.words);
    this.#showScreen(input);
    if (this.#data) this.#parts.flow.show(this.#data, this.#view);
    void this.#tellWritten();
  }

  #showScreen({ state, words, theme, allowed }: FigureInput): void {
    const info = this.#engine?.info;
    const text = this.#text;
    if (!info || !text || text.engine !== this.#engine) return;
    const { blockCount: blocks, headCount: heads, embeddingLength: width } = info.config;
    const tokens = this.#used;
    this.#hoverAgain();
    const key = this.#key;
    this.#parts.screen.show({
      state: { ...state, block: Math.min(state.block, blocks - 1), head: Math.min(state.head, heads - 1) },
      words,
      palette: palettes[theme],
      tokens,
      row: this.#row,
      blocks,
      heads,
      width,
      square: this.#square,
      map: this.#map.ids === key ? this.#map.blocks : new Map(),
      allowed: allowed.block,
      next: this.#answers.first(key),
      trial: this.#trials.of(this.#trialKey),
      written: this.#written.key === key ? this.#written.heads : new Map(),
    });
  }

  /** A head that is pointed at in the map lends its row to the words and the sentence, as long as they are of its run. */
  async #hover(place: HeadPlace | null): Promise<void> {
    const [queries, row, key] = [this.#queries, this.#row, this.#key];
    this.#hovered = place;
    this.#hoveredRow = `${key}|${row}`;
    this.#parts.screen.hover(null);
    if (!place || !queries || this.#map.ids !== key || !this.#map.blocks.has(place.block)) return;
    const weights = await queries.row(place.block, place.head, row, this.#used.length).catch(() => null);
    const current = this.#hovered === place && this.#key === key && this.#row === row;
    if (current && weights) this.#parts.screen.hover({ ...place, weights });
  }

  /** Other tokens, heads off or a lit token: the row is of those before. */
  #hoverAgain(): void {
    const known = this.#hovered && this.#map.ids === this.#key && this.#map.blocks.has(this.#hovered.block);
    if (this.#hovered && this.#hoveredRow !== `${this.#key}|${this.#row}`) this.#parts.screen.hover(null);
    if (known && this.#hoveredRow !== `${this.#key}|${this.#row}`) void this.#hover(this.#hovered);
  }

  /** Names what is tried: what stands in for a head matters even while all are on. */
  get #trialKey(): string {
    return `${this.#key}|${this.#input?.state.offBy ?? 'zero'}`;
  }

  /** Ranks all heads by what their absence does to the likeliest token. */
  async #tryHeads(): Promise<void> {
    const [queries, key, by] = [this.#queries, this.#trialKey, this.#input?.state.offBy ?? 'zero'];
    if (!queries) return;
    await this.#trials.run(key, (progress) => queries.tryHeads(by, progress));
  }

  /** What each head writes into the likeliest token's logit is asked for when it lights up the map. */
  async #tellWritten(): Promise<void> {
    const [queries, key] = [this.#queries, this.#key];
    const next = this.#answers.first(key);
    if (this.#input?.state.lighting !== 'writes' || !queries || !next || this.#written.key === key) return;
    this.#written = { key, heads: new Map() };
    const answer = await queries.written(this.#used.length - 1, next.id).catch(() => null);
    if (!answer || this.#written.key !== key) return;
    const heads = answer.parts.filter(({ source }) => source === 'head');
    this.#written = { key, heads: new Map(heads.map(({ block, head, value }) => [`${block}.${head}`, value])) };
    this.#paint();
  }

  #toggleHead({ block, head }: HeadPlace): void {
    const off = this.#input?.state.off ?? [];
    const others = off.filter((one) => one.block !== block || one.head !== head);
    const now = others.length < off.length ? others : [...off, { block, head }];
    this.#change({ off: now.sort((a, b) => a.block - b.block || a.head - b.head) }, true);
  }

  #point(reading: CellReading | null): void {
    const words = this.#input?.words;
    this.#reading = reading;
    if (!words) return;
    this.#parts.readout.show(reading, null, words);
    const frame = this.#parts.flow.readFrame;
    if (frame && !this.#parts.flow.matches(':hover')) this.#parts.readout.place(frame.right, frame.bottom, this);
    const [queries, bin] = [this.#queries, reading?.bin];
    if (!bin || !queries || !this.#input?.state.cell) return;
    queries.values(bin).then(
      (values) => this.#reading === reading && this.#parts.readout.show(reading, values, words),
      () => undefined,
    );
  }
}

define('hf-figure', FigureElement);
