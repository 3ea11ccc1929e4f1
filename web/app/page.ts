// <hf-page>: ties the view state, the open model and the views together.
import type { Engine, OpenEngine, Token } from '../engine/api';
import { parseCell } from '../engine/explanation';
import { palettes } from '../ui/colour/palette';
import { define, shadow } from '../ui/dom';
import { type CellPlace, initialState, type ViewState } from '../ui/state';
import { applyTheme, onPreferenceChange, resolveTheme, shared } from '../ui/theme';
import { wellFormed } from '../ui/tokens';
import { en } from '../ui/words/en';
import type { FlowEvents } from '../views/flow/controller';
import type { FlowData, HeadThumbnail } from '../views/flow/data';
import type { FlowOptions } from '../views/flow/element';
import { placeOfCell } from '../views/flow/places';
import { type CellReading, toBins } from '../views/flow/reading';
import { Answers } from './answers';
import { Consent } from './consent';
import { onFileDrop } from './drop';
import { isSpoilt, message } from './failures';
import { onStateChange, readState, writeState } from './history';
import { type KnownModel, Models, modelFacts } from './models';
import type { Offline } from './offline';
import { Opening, type OpeningPage } from './opening';
import { arranged, makeParts } from './parts';
import { Provenance } from './provenance';
import { onRefusal } from './refusals';
import { figureRequest, rowsShown } from './request';
import { shownCell } from './shown-cell';
import { pageSheet } from './styles';
import { fittingTrail, inBin, trailAfter } from './trail';
import { Transfer } from './transfer';
import { Workbench } from './workbench';

const words = en;

/** A new prompt has nothing selected. */
const fresh = { row: null, cell: null, from: null } as const;

export class PageElement extends HTMLElement {
  #state: ViewState = readState();
  readonly #parts = makeParts(words, this.#state);
  readonly #answers = new Answers(this.#parts.answer, words);
  readonly #provenance = new Provenance(this.#parts.breakdown, words, () => this.#explained());
  #models: Models | null = null;
  #workbench: Workbench | null = null;
  #tokens: readonly Token[] = [];
  #used = 0;
  #data: FlowData | null = null;
  #thumbnails: { engine: Engine | undefined; block: number; heads: readonly HeadThumbnail[] } | null = null;
  #reading: CellReading | null = null;
  /** The trail followed the selection to numbers that are still to come. */
  #refit = false;
  #typed = 0;
  #computed = 0;
  readonly #consent = new Consent();
  /** The notice says that the computation has stopped. */
  #stopped = false;
  #opening: Opening | null = null;
  #transfer: Transfer | null = null;

  constructor() {
    super();
    shadow(this, shared, pageSheet).append(...arranged(this.#parts, words));
  }

  /** Called once, by main.ts. */
  async start(open: OpenEngine, manifest: string | readonly KnownModel[]): Promise<void> {
    this.#listen();
    this.#theme();
    const models = new Models(manifest);
    const workbench = new Workbench(open, this.#events());
    this.#models = models;
    this.#workbench = workbench;
    this.#chrome();
    try {
      await models.readManifest();
    } catch (error) {
      this.#fail(words.failure.manifest(message(error)));
      // Without the list, the embedded model's name leads nowhere.
      if (this.#state.model === initialState.model) return this.#chrome();
    }
    this.#chrome();
    this.#opening = new Opening(this.#asOpeningPage(), models, workbench, this.#parts, words);
    const bench = { models, workbench, answers: this.#answers, consent: this.#consent };
    const show = (): void => {
      this.#goOn();
      this.#show();
    };
    const page = { show, absent: () => this.#absent(), fail: this.#fail.bind(this) };
    this.#transfer = new Transfer(page, bench, this.#parts, words);
    await this.#opening.open();
  }

  #asOpeningPage(): OpeningPage {
    const current = (): ViewState => this.#state;
    return {
      get state() {
        return current();
      },
      replace: (state, addressStays = false) => {
        this.#state = state;
        if (!addressStays) writeState(state, false);
        this.#chrome();
      },
      choose: (part) => this.#set(part, true),
      renew: () => this.#tokenize(),
      fail: this.#fail.bind(this),
    };
  }

  #listen(): void {
    const on = <T>(type: string, act: (detail: T) => void): void =>
      this.addEventListener(type, (event) => act((event as CustomEvent<T>).detail));
    on<string>('hf-prompt', (prompt) => this.#set({ ...fresh, prompt }, false));
    on<string>('hf-append', (text) => this.#set({ ...fresh, prompt: this.#state.prompt + text }, false));
    on<number>('hf-block', (block) => this.#set({ block }, true));
    on<number>('hf-head', (head) => this.#set({ head }, true));
    on<Pick<ViewState, 'row' | 'cell'>>('hf-select', (part) => this.#select(part));
    on<readonly string[]>('hf-trail', (trail) => this.#follow(trail));
    on<Partial<ViewState>>('hf-option', (part) => this.#set(part, true));
    on<string>('hf-model', (model) => this.#set({ model, block: 0, head: 0, cell: null }, true));
    on<null>('hf-stop', () => this.#opening?.stop());
    on<null>('hf-load-rows', () => this.#transfer?.loadRows());
    on<null>('hf-load-answer', () => this.#transfer?.loadAnswer());
    on<File>('hf-file', (file) => this.#openFile(file));
    on<CellReading | null>('hf-point', (reading) => this.#point(reading));
    onStateChange((state) => this.#set(state, false));
    onPreferenceChange(() => this.#theme());
    new ResizeObserver(() => this.#show()).observe(this.#parts.flow);
    onFileDrop(this.#parts.dropping, (file) => this.#openFile(file));
    onRefusal((directive, address) => this.#parts.forbidden.append(words.forbidden(directive, address), ' '));
  }

  showOffline(state: Offline): void {
    this.#parts.offline.replaceChildren(words.offline[state]);
  }

  #openFile(file: File): void {
    const model = this.#models?.addFile(file);
    if (model) this.#set({ model, block: 0, head: 0, cell: null }, true);
  }

  /** A row is lit, or a cell is chosen: then it is explained, in a bin the one that the bin shows. */
  #select({ row, cell }: Pick<ViewState, 'row' | 'cell'>): void {
    if (cell) void this.#explain(row, cell, true);
    else this.#set({ row, cell, trail: [] }, this.#state.trail.length > 0);
  }

  async #explain(row: number | null, cell: CellPlace, step: boolean): Promise<void> {
    const [data, session, before] = [this.#data, this.#workbench?.current?.controller.session, this.#state];
    if (!data || !session) return;
    const text = await shownCell(data, session, cell);
    if (before === this.#state) this.#set({ row, cell, trail: text === null ? [] : [text] }, step);
  }

  /** What is explained follows what is selected. */
  #fitTrail({ info }: Engine): void {
    const trail = fittingTrail(this.#state, info, this.#used);
    if (trail === this.#state.trail) return;
    this.#state = { ...this.#state, trail };
    this.#refit = true;
    writeState(this.#state, false);
  }

  /** In bins, the selected cell's number is known only now. */
  #refitTrail(data: FlowData): void {
    const { block, head, row, cell, trail } = this.#state;
    const last = trail.at(-1);
    if (!cell || !last || data.block !== block || data.head !== head) return;
    if ((this.#refit && toBins(data, cell)) || !inBin(data, cell, last)) void this.#explain(row, cell, false);
    this.#refit = false;
  }

  /** To another number, and in the figure to where it stands, if it is drawn. */
  #follow(trail: readonly string[]): void {
    const config = this.#workbench?.current?.engine.info.config;
    const cell = parseCell(trail.at(-1) ?? '');
    if (!cell && this.#parts.breakdown.matches(':focus-within')) {
      this.#parts.flow.focusTensor(this.#state.cell?.stage ?? 'p');
    }
    const { embeddingLength: width = 0, headCount: heads = 0, headDim = 0 } = config ?? {};
    const place = cell && placeOfCell(cell, this.#state.block, { tokens: this.#used, width, heads, headDim });
    if (place) {
      const { block, head } = place;
      this.#set({ block, head: head ?? this.#state.head, row: place.cell.row, cell: place.cell, trail }, true);
    } else this.#set({ cell: null, trail }, true);
  }

  #set(part: Partial<ViewState>, step: boolean): void {
    const before = this.#state;
    const trail = part.trail ?? trailAfter(before, part);
    this.#goOn();
    this.#state = { ...before, ...part, trail };
    writeState(this.#state, step);
    if (this.#state.theme !== before.theme) this.#theme();
    this.#chrome();
    if (this.#state.model !== before.model || this.#state.prompt !== before.prompt) this.#answers.ask(null);
    if (this.#state.model !== before.model) void this.#opening?.open(before);
    else if (this.#state.prompt !== before.prompt) void this.#tokenize();
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

  #events(): FlowEvents {
    return {
      progress: ({ stage, rows, rowCount }) => {
        const doing = words.computing.stage[stage.kind](stage.block);
        this.#parts.progress.show(words.computing.progress(doing, rows, rowCount), rowCount ? rows / rowCount : null);
        if (stage.kind === 'mlp') this.#count(stage.block + 1);
      },
      flow: (data) => {
        this.#data = data;
        this.#parts.progress.show('', null);
        this.#count(data.block + 1);
        this.#paint();
        this.#refitTrail(data);
        void this.#transfer?.tellOrigin();
      },
      heads: (block, heads) => {
        this.#thumbnails = { engine: this.#workbench?.current?.engine, block, heads };
        this.#chrome();
      },
      next: (next) => {
        this.#parts.progress.show('', null);
        this.#answers.take(next);
        this.#count((this.#workbench?.current?.engine.info.config.blockCount ?? 0) + 1);
        void this.#workbench?.prove();
      },
      lacks: (goal, size) => this.#transfer?.lacks(goal, size),
      failure: (error) => {
        const shown = this.#data !== null && this.#data.model === this.#workbench?.current?.engine.info;
        if (this.#opening?.giveUp(error, shown)) return;
        const again = isSpoilt(error) ? () => void this.#opening?.anew() : () => this.#show();
        this.#fail(words.failure.compute(message(error)), again);
        this.#stopped = true;
        this.#transfer?.tellAnswer().catch(() => undefined); // A prompt or model that was left lacks nothing.
      },
    };
  }

  /** How many blocks have been computed for this prompt, and one more once there is an answer. */
  #count(blocks: number): void {
    if (blocks <= this.#computed) return;
    this.#computed = blocks;
    this.#chrome();
  }

  async #tokenize(): Promise<void> {
    const engine = this.#workbench?.current?.engine;
    if (!engine) return;
    if (this.#thumbnails?.engine !== engine) this.#thumbnails = null;
    const mine = ++this.#typed;
    const tokens = await engine.tokenize(wellFormed(this.#state.prompt));
    if (mine !== this.#typed) return;
    this.#computed = 0;
    this.#tokens = tokens;
    this.#used = Math.min(tokens.length, engine.info.config.contextLength);
    this.#answers.ask({ engine, tokens, used: this.#used });
    if (this.#used === 0) this.#parts.progress.show('', null);
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
    this.#parts.empty.hidden = this.#used > 0 || !bench;
    this.#parts.flow.hidden = this.#used === 0;
    this.#parts.toggles.hidden = this.#used === 0;
    if (!bench) return;
    const tokens = this.#tokens.slice(0, this.#used);
    if (this.#used > 0 && bench.id === this.#state.model) this.#fitTrail(bench.engine);
    this.#provenance.update({ engine: bench.engine, tokens, trail: this.#used > 0 ? this.#state.trail : [] });
    if (this.#used === 0 || this.#parts.flow.clientWidth === 0) return;
    const { request, plan } = figureRequest(this.#state, bench.engine, tokens, this.#row, this.#parts.flow);
    this.#parts.flow.showPending(plan, request.block, request.head, this.#view);
    const own = this.#models?.isFile(bench.id) ?? false;
    void bench.controller.show(request, plan, this.#consent.allowed(this.#state, own));
  }

  #absent(): void {
    const bench = this.#workbench?.current;
    if (!bench) return;
    const tokens = this.#tokens.slice(0, this.#used);
    const { request, plan } = figureRequest(this.#state, bench.engine, tokens, this.#row, this.#parts.flow);
    this.#data = null;
    this.#parts.flow.showAbsent(plan, request.block, request.head, this.#view);
  }

  get #view(): FlowOptions {
    const { names, withoutFirstKey, fitWeights, cell } = this.#state;
    const { operands } = this.#provenance;
    return { palette: this.#palette, words, names, withoutFirstKey, fitWeights, cell, operands };
  }

  /** The panel covers part of the window, but not the cell that it explains. */
  #explained(): void {
    this.#paint();
    const { cell } = this.#state;
    const { breakdown, flow } = this.#parts;
    if (cell && !breakdown.hidden) flow.reveal(cell, breakdown.getBoundingClientRect().top);
  }

  /** Draws what is there; the figure stays as it is until newer numbers arrive. */
  #paint(): void {
    if (!this.#data) return;
    this.#parts.toggles.show(this.#state, rowsShown(this.#data), words);
    this.#parts.flow.show(this.#data, this.#view);
  }

  #chrome(): void {
    const engine = this.#workbench?.current?.engine;
    const info = engine?.info;
    this.#parts.prompt.value = this.#state.prompt;
    const choices = this.#models?.choices(this.#state.model) ?? [];
    this.#parts.options.show(this.#state, choices, modelFacts(info, words), words);
    this.#parts.prompt.showTokens(this.#tokens, this.#used, this.#row, words);
    if (!engine || !info) return;
    const { prompt, withoutFirstKey, fitWeights } = this.#state;
    const { blockCount: blocks, headCount: heads } = info.config;
    const [block, head] = [Math.min(this.#state.block, blocks - 1), Math.min(this.#state.head, heads - 1)];
    const thumbnails = this.#thumbnails?.block === block ? this.#thumbnails.heads : null;
    const computed = this.#used === 0 ? blocks : this.#computed;
    const picked = { blocks, heads, block, head, computed, withoutFirstKey, fitWeights, thumbnails };
    this.#parts.pickers.show(picked, this.#palette, words);
    const tokens = this.#tokens.slice(0, this.#used);
    const view = { engine, tokens, prompt, block, computed: this.#computed };
    this.#parts.inside.show(this.#state.inside, this.#used > 0 ? view : null, words);
  }

  #point(reading: CellReading | null): void {
    this.#reading = reading;
    this.#parts.readout.show(reading, null, words);
    const session = this.#workbench?.current?.controller.session;
    if (!reading?.bin || !session || !this.#state.cell) return;
    session.region(reading.bin).then(
      ({ data }) => this.#reading === reading && this.#parts.readout.show(reading, data, words),
      () => undefined,
    );
  }

  /** The reader wants something else, so that it is computed again: it has not stopped. */
  #goOn(): void {
    if (this.#stopped) this.#parts.notice.show(null, words.failure.dismiss);
    this.#stopped = false;
  }

  /** `again` is offered as a button. */
  #fail(text: string, again: (() => void) | null = null): void {
    this.#parts.progress.show('', null);
    this.#stopped = false;
    const retry = (): void => {
      this.#parts.notice.show(null, words.failure.dismiss);
      again?.();
    };
    const actions = again === null ? [] : [{ label: words.failure.again, act: retry }];
    this.#parts.notice.show(text, words.failure.dismiss, ...actions);
  }
}

define('hf-page', PageElement);
