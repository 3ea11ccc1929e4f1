// <hf-page>: ties the view state, the open model and the views together.
import type { OpenEngine, Token } from '../../engine/api';
import { cellAt, cellText, parseCell } from '../../engine/explanation';
import '../../views/answer/element';
import type { AnswerElement } from '../../views/answer/element';
import '../../views/breakdown/element';
import { type FlowEvents, flowShape } from '../../views/flow/controller';
import type { FlowData, HeadThumbnail } from '../../views/flow/data';
import { planFlow } from '../../views/flow/drawing';
import '../../views/flow/element';
import type { FlowElement, FlowOptions } from '../../views/flow/element';
import { MOST_ROWS } from '../../views/flow/layout';
import { cellsOfBin, largestCell, placeOfCell } from '../../views/flow/places';
import type { CellReading } from '../../views/flow/reading';
import { palettes } from '../colour/palette';
import { define, h, shadow } from '../dom';
import '../notice';
import { bytes } from '../numbers';
import '../options';
import '../pickers';
import '../progress';
import '../prompt';
import '../readout';
import '../toggles';
import type { CellPlace, ViewState } from '../state';
import { applyTheme, onPreferenceChange, resolveTheme, shared } from '../theme';
import { tokenText, wellFormed } from '../tokens';
import { en } from '../words/en';
import { onFileDrop } from './drop';
import { onStateChange, readState, writeState } from './history';
import { Models } from './models';
import { Provenance } from './provenance';
import { pageSheet } from './styles';
import { Workbench } from './workbench';

const words = en;

/** What went wrong, as a sentence. */
function message(error: unknown): string {
  const text =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

export class PageElement extends HTMLElement {
  readonly #notice = h('hf-notice');
  readonly #progress = h('hf-progress');
  readonly #options = h('hf-options');
  readonly #prompt = h('hf-prompt');
  readonly #pickers = h('hf-pickers');
  readonly #toggles = h('hf-toggles');
  readonly #flow: FlowElement = h('hf-flow');
  readonly #answer: AnswerElement = h('hf-answer', { slot: 'aside' });
  readonly #readout = h('hf-readout');
  readonly #breakdown = h('hf-breakdown', { hidden: true });
  readonly #provenance = new Provenance(this.#breakdown, words, () => this.#paint());
  readonly #empty = h('p', { class: 'empty', hidden: true }, words.prompt.empty);
  readonly #dropping = h('div', { class: 'dropping', hidden: true }, words.model.drop);
  #state: ViewState = readState();
  #models: Models | null = null;
  #workbench: Workbench | null = null;
  #tokens: readonly Token[] = [];
  #used = 0;
  #data: FlowData | null = null;
  #thumbnails: { block: number; heads: readonly HeadThumbnail[] } | null = null;
  #reading: CellReading | null = null;
  #typed = 0;
  #computed = 0;
  /** The view of the model that was left for another: if that one fails, it is back. */
  #left: ViewState | null = null;

  constructor() {
    super();
    const title = h('h1', {}, words.page.title);
    const subtitle = h('p', { class: 'subtitle' }, words.page.subtitle);
    this.#flow.append(this.#answer);
    shadow(this, shared, pageSheet).append(
      h('header', {}, title, subtitle, this.#options),
      this.#notice,
      h('div', { class: 'top' }, this.#prompt, this.#pickers),
      this.#empty,
      this.#toggles,
      this.#flow,
      h('div', { class: 'foot' }, this.#breakdown, this.#readout, this.#progress),
      this.#dropping,
    );
    this.#prompt.words = words;
    this.#readout.show(null, null, words);
    this.#answer.show(null, '', 0, words);
    this.#toggles.show(this.#state, null, words);
  }

  /** Called once, by main.ts. */
  async start(open: OpenEngine, manifest: string): Promise<void> {
    this.#listen();
    this.#theme();
    this.#models = new Models(manifest);
    this.#workbench = new Workbench(open, this.#events());
    this.#chrome();
    try {
      await this.#models.readManifest();
    } catch (error) {
      this.#fail(words.failure.manifest(message(error)));
    }
    await this.#openModel();
  }

  #listen(): void {
    const on = <T>(type: string, act: (detail: T) => void): void =>
      this.addEventListener(type, (event) => act((event as CustomEvent<T>).detail));
    on<string>('hf-prompt', (prompt) => this.#set({ prompt, row: null, cell: null, from: null }, false));
    on<string>('hf-append', (text) => this.#append(text));
    on<number>('hf-block', (block) => this.#set({ block }, true));
    on<number>('hf-head', (head) => this.#set({ head }, true));
    on<Pick<ViewState, 'row' | 'cell'>>('hf-select', (part) => this.#select(part));
    on<readonly string[]>('hf-trail', (trail) => this.#follow(trail));
    on<Partial<ViewState>>('hf-option', (part) => this.#set(part, true));
    on<string>('hf-model', (model) => this.#set({ model, block: 0, head: 0, cell: null }, true));
    on<File>('hf-file', (file) => this.#openFile(file));
    on<CellReading | null>('hf-point', (reading) => this.#point(reading));
    onStateChange((state) => this.#set(state, false));
    onPreferenceChange(() => this.#theme());
    new ResizeObserver(() => this.#show()).observe(this.#flow);
    onFileDrop(
      (hovers) => {
        this.#dropping.hidden = !hovers;
      },
      (file) => this.#openFile(file),
    );
  }

  #openFile(file: File): void {
    const model = this.#models?.addFile(file);
    if (model) this.#set({ model, block: 0, head: 0, cell: null }, true);
  }

  #append(text: string): void {
    this.#set({ prompt: this.#state.prompt + text, row: null, cell: null, from: null }, false);
  }

  /** A row is lit, or a cell is chosen: then it is explained, in a bin the one that the bin shows. */
  #select({ row, cell }: Pick<ViewState, 'row' | 'cell'>): void {
    const { trail } = this.#state;
    if (cell) {
      this.#set({ row, cell, trail }, false);
      void this.#explain(cell);
    } else this.#set({ row, cell, trail: [] }, trail.length > 0);
  }

  async #explain(cell: CellPlace): Promise<void> {
    const [data, session] = [this.#data, this.#workbench?.current?.controller.session];
    if (!data || !session) return;
    const [line, ...others] = cellsOfBin(data, cell);
    if (!line) return;
    let text: string | null = cellText(cellAt(line, 0));
    if (others.length > 0 || line.columns[1] - line.columns[0] > 1) {
      const rows = [line.rows?.[0] ?? 0, (line.rows?.[0] ?? 0) + others.length + 1] as const;
      const region = { node: line.name, head: data.head, rows, columns: line.columns };
      const values = await session.region(region).catch(() => null);
      text = values && largestCell([line, ...others], values.data);
    }
    if (text !== null && this.#state.cell === cell) this.#set({ trail: [text] }, true);
  }

  /** To another number, and in the figure to where it stands, if it is drawn. */
  #follow(trail: readonly string[]): void {
    const config = this.#workbench?.current?.engine.info.config;
    const cell = parseCell(trail.at(-1) ?? '');
    const { embeddingLength: width = 0, headCount: heads = 0, headDim = 0 } = config ?? {};
    const place = cell && placeOfCell(cell, this.#state.block, { tokens: this.#used, width, heads, headDim });
    if (place) {
      const { block, head } = place;
      this.#set({ block, head: head ?? this.#state.head, row: place.cell.row, cell: place.cell, trail }, true);
    } else this.#set({ cell: null, trail }, true);
  }

  #set(part: Partial<ViewState>, step: boolean): void {
    const before = this.#state;
    const trail = part.trail ?? (part.cell === null ? [] : before.trail);
    this.#state = { ...before, ...part, trail };
    writeState(this.#state, step);
    if (this.#state.theme !== before.theme) this.#theme();
    this.#chrome();
    if (this.#state.model !== before.model) {
      this.#left = before;
      void this.#openModel();
    } else if (this.#state.prompt !== before.prompt) void this.#tokenize();
    else this.#show();
  }

  #theme(): void {
    applyTheme(resolveTheme(this.#state.theme));
    this.#chrome();
    this.#paint();
  }

  get #palette() {
    return palettes[resolveTheme(this.#state.theme)];
  }

  async #openModel(): Promise<void> {
    const [models, workbench] = [this.#models, this.#workbench];
    if (!models || !workbench) return;
    const id = this.#state.model;
    if (workbench.current?.id === id) return this.#tokenize();
    const name = models.name(id);
    this.#progress.show(words.model.opening(name), null);
    try {
      const chosen = await workbench.choose(id, name, models.source(id), ({ loaded, total }) =>
        this.#progress.show(words.model.loading(name, bytes(loaded), bytes(total)), total ? loaded / total : null),
      );
      if (!chosen) return;
      this.#thumbnails = null;
      this.#computed = 0;
      this.#notice.show(null, words.failure.dismiss);
      await this.#tokenize();
    } catch (error) {
      if (this.#state.model === id) await this.#keep(name, error);
    }
  }

  /** A model failed: says so, and goes on with the one before. */
  async #keep(name: string, error: unknown): Promise<void> {
    const stays = this.#workbench?.fallback;
    await this.#workbench?.retreat();
    const outcome = stays ? words.failure.stays(stays.name) : words.model.none;
    this.#fail(`${words.failure.open(name, message(error))} ${outcome}`);
    if (!stays) return;
    this.#state = { ...(this.#left ?? this.#state), prompt: this.#state.prompt, model: stays.id };
    writeState(this.#state, false);
    await this.#tokenize();
  }

  #events(): FlowEvents {
    return {
      progress: ({ stage, rows, rowCount }) => {
        const doing = words.computing.stage[stage.kind](stage.block);
        this.#progress.show(words.computing.progress(doing, rows, rowCount), rowCount ? rows / rowCount : null);
        if (stage.kind === 'rest') this.#count(stage.block + 1);
      },
      flow: (data) => {
        this.#data = data;
        this.#progress.show('', null);
        this.#count(data.block + 1);
        this.#paint();
      },
      heads: (block, heads) => {
        this.#thumbnails = { block, heads };
        this.#chrome();
      },
      next: (next) => {
        this.#progress.show('', null);
        const last = this.#tokens[this.#used - 1];
        const config = this.#workbench?.current?.engine.info.config;
        this.#answer.show(next, last ? tokenText(last) : '', config?.vocabularySize ?? 0, words);
        this.#count(config?.blockCount ?? 0);
        void this.#workbench?.prove();
      },
      failure: (error) => {
        const current = this.#workbench?.current;
        const stays = this.#workbench?.fallback;
        if (current && stays && stays !== current) void this.#keep(current.name, error);
        else this.#fail(words.failure.compute(message(error)));
      },
    };
  }

  /** How many blocks have been computed for this prompt. */
  #count(blocks: number): void {
    if (blocks <= this.#computed) return;
    this.#computed = blocks;
    this.#chrome();
  }

  async #tokenize(): Promise<void> {
    const engine = this.#workbench?.current?.engine;
    if (!engine) return;
    const mine = ++this.#typed;
    const tokens = await engine.tokenize(wellFormed(this.#state.prompt));
    if (mine !== this.#typed) return;
    this.#computed = 0;
    this.#tokens = tokens;
    this.#used = Math.min(tokens.length, engine.info.config.contextLength);
    if (this.#used === 0) this.#progress.show('', null);
    this.#chrome();
    this.#show();
  }

  get #row(): number {
    const last = Math.max(0, this.#used - 1);
    return Math.min(this.#state.row ?? last, last);
  }

  /** Asks for what the state wants to see. */
  #show(): void {
    const bench = this.#workbench?.current;
    this.#empty.hidden = this.#used > 0 || !bench;
    this.#flow.hidden = this.#used === 0;
    this.#toggles.hidden = this.#used === 0;
    if (!bench) return;
    const tokens = this.#tokens.slice(0, this.#used);
    this.#provenance.update({ engine: bench.engine, tokens, trail: this.#used > 0 ? this.#state.trail : [] });
    if (this.#used === 0 || this.#flow.clientWidth === 0) return;
    const { blockCount, headCount } = bench.engine.info.config;
    const block = Math.min(this.#state.block, blockCount - 1);
    const head = Math.min(this.#state.head, headCount - 1);
    const { from } = this.#state;
    const first = from === null || this.#used <= MOST_ROWS ? 0 : Math.min(from, this.#used - MOST_ROWS);
    const last = from === null ? this.#used : Math.min(this.#used, first + MOST_ROWS);
    const view = { width: this.#flow.clientWidth, names: this.#state.names, aside: this.#flow.aside };
    const plan = planFlow(flowShape(bench.engine, this.#used), last - first, view);
    this.#flow.showPending(plan, block, head, this.#view);
    void bench.controller.show({ tokens, block, head, row: this.#row, rows: [first, last] }, plan);
  }

  get #view(): FlowOptions {
    const { names, withoutFirstKey, cell } = this.#state;
    return { palette: this.#palette, words, names, withoutFirstKey, cell, operands: this.#provenance.operands };
  }

  /** Draws what is there; the figure stays as it is until newer numbers arrive. */
  #paint(): void {
    if (!this.#data) return;
    const { rows, tokens, parts } = this.#data;
    const size = parts.get('z')?.picture.binSize[0] ?? 1;
    const shown = { first: rows[0], last: rows[1], tokens: tokens.length, size };
    this.#toggles.show(this.#state, tokens.length > MOST_ROWS ? shown : null, words);
    this.#flow.show(this.#data, this.#view);
  }

  #chrome(): void {
    const config = this.#workbench?.current?.engine.info.config;
    this.#prompt.value = this.#state.prompt;
    this.#options.show(this.#state, this.#models?.choices(this.#state.model) ?? [], this.#facts, words);
    this.#prompt.showTokens(this.#tokens, this.#used, this.#row, words);
    if (!config) return;
    const thumbnails = this.#thumbnails?.block === this.#state.block ? this.#thumbnails.heads : null;
    const { block, head, withoutFirstKey } = this.#state;
    const { blockCount: blocks, headCount: heads } = config;
    const computed = this.#used === 0 ? blocks : this.#computed;
    const picked = { blocks, heads, block, head, computed, withoutFirstKey, thumbnails };
    this.#pickers.show(picked, this.#palette, words);
  }

  /** What the open model is, in a few numbers. */
  get #facts(): string {
    const info = this.#workbench?.current?.engine.info;
    if (!info) return '';
    const { blockCount, headCount, embeddingLength } = info.config;
    return words.model.facts(blockCount, headCount, embeddingLength, bytes(info.fileSize));
  }

  #point(reading: CellReading | null): void {
    this.#reading = reading;
    this.#readout.show(reading, null, words);
    const session = this.#workbench?.current?.controller.session;
    if (!reading?.bin || !session || !this.#state.cell) return;
    session.region(reading.bin).then(
      ({ data }) => this.#reading === reading && this.#readout.show(reading, data, words),
      () => undefined,
    );
  }

  #fail(text: string): void {
    this.#progress.show('', null);
    this.#notice.show(text, words.failure.dismiss);
  }
}

define('hf-page', PageElement);
