// <hf-page>: ties the view state, the open model and the views together.
import type { Engine, LoadProgress, OpenEngine, Stage, Token } from '../../engine/api';
import { parseCell } from '../../engine/explanation';
import type { FlowEvents } from '../../views/flow/controller';
import type { FlowData, HeadThumbnail } from '../../views/flow/data';
import type { FlowOptions } from '../../views/flow/element';
import { placeOfCell } from '../../views/flow/places';
import { type CellReading, toBins } from '../../views/flow/reading';
import { palettes } from '../colour/palette';
import { define, shadow } from '../dom';
import { bytes } from '../numbers';
import { type CellPlace, initialState, type ViewState } from '../state';
import { applyTheme, onPreferenceChange, resolveTheme, shared } from '../theme';
import { wellFormed } from '../tokens';
import { en } from '../words/en';
import { Answers } from './answers';
import { Consent } from './consent';
import { onFileDrop } from './drop';
import { message } from './failures';
import { onStateChange, readState, writeState } from './history';
import { type KnownModel, Models, modelFacts } from './models';
import { arranged, makeParts } from './parts';
import { Provenance } from './provenance';
import { figureRequest, rowsShown } from './request';
import { shownCell } from './shown-cell';
import { pageSheet } from './styles';
import { fittingTrail, inBin, trailAfter } from './trail';
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
  #thumbnails: { block: number; heads: readonly HeadThumbnail[] } | null = null;
  #reading: CellReading | null = null;
  /** The trail followed the selection to numbers that are still to come. */
  #refit = false;
  #typed = 0;
  #computed = 0;
  /** The view of the model that was left for another: if that one fails, it is back. */
  #left: ViewState | null = null;
  /** Models on other hosts that the reader asked for. */
  readonly #allowed = new Set<string>();
  /** Those of them whose embedding rows are loaded whole, before anything of a prompt is asked for. */
  readonly #wholeEmbeddings = new Set<string>();
  readonly #consent = new Consent();

  constructor() {
    super();
    shadow(this, shared, pageSheet).append(...arranged(this.#parts, words));
  }

  /** Called once, by main.ts. */
  async start(open: OpenEngine, manifest: string | readonly KnownModel[]): Promise<void> {
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
    this.#chrome();
    await this.#openModel();
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
    on<null>('hf-stop', () => this.#stop());
    on<null>('hf-load-rows', () => this.#loadRows());
    on<null>('hf-load-answer', () => {
      this.#consent.allowAnswer();
      this.#show();
    });
    on<File>('hf-file', (file) => this.#openFile(file));
    on<CellReading | null>('hf-point', (reading) => this.#point(reading));
    onStateChange((state) => this.#set(state, false));
    onPreferenceChange(() => this.#theme());
    new ResizeObserver(() => this.#show()).observe(this.#parts.flow);
    onFileDrop(this.#parts.dropping, (file) => this.#openFile(file));
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
    this.#state = { ...before, ...part, trail };
    writeState(this.#state, step);
    if (this.#state.theme !== before.theme) this.#theme();
    this.#chrome();
    if (this.#state.model !== before.model || this.#state.prompt !== before.prompt) this.#answers.ask(null);
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

  /** `told`: the notice says why another model was not opened, and stays. */
  async #openModel(told = false): Promise<void> {
    const [models, workbench] = [this.#models, this.#workbench];
    if (!models || !workbench) return;
    const id = this.#state.model;
    if (workbench.current?.id === id) {
      workbench.stay();
      return this.#tokenize();
    }
    if (await this.#declined(models, id)) return;
    const name = models.name(id);
    this.#progress(words.model.opening(name), null);
    try {
      const source = models.source(id, this.#wholeEmbeddings.has(id));
      const chosen = await workbench.choose(id, name, source, (progress) => this.#loads(name, progress));
      if (!chosen) return;
      this.#thumbnails = null;
      this.#computed = 0;
      if (!told) this.#parts.notice.show(null, words.failure.dismiss);
      await this.#tokenize();
    } catch (error) {
      if (this.#state.model === id) await this.#keep(id, name, error);
    }
  }

  #loads(name: string, { loaded, total, trouble }: LoadProgress): void {
    const text =
      trouble === null ? words.model.loading(name, bytes(loaded), bytes(total)) : words.model.retrying(trouble);
    this.#progress(text, total ? loaded / total : null);
  }

  /** Something that the reader may end. */
  #progress(text: string, share: number | null): void {
    this.#parts.progress.show(text, share, words.model.stop);
  }

  /** Ends what is being opened or loaded. */
  #stop(): void {
    this.#workbench?.stay();
    void this.#workbench?.current?.engine.stopLoading();
  }

  /** A model failed: says so, and goes on with the one before. */
  async #keep(id: string, name: string, error: unknown): Promise<void> {
    const stays = this.#workbench?.fallback;
    await this.#workbench?.retreat();
    const outcome = stays ? words.failure.stays(stays.name) : words.model.none;
    const other = !stays && this.#state.model !== initialState.model;
    const said = other ? words.failure.instead(this.#models?.name(initialState.model) ?? '') : outcome;
    const again = (): void => this.#set({ model: id, block: 0, head: 0, cell: null }, true);
    this.#fail(`${words.failure.open(name, message(error))} ${said}`, again);
    if (other) return this.#embedded();
    if (!stays) return;
    this.#state = { ...(this.#left ?? this.#state), prompt: this.#state.prompt, model: stays.id };
    writeState(this.#state, false);
    await this.#tokenize();
  }

  #embedded(): Promise<void> {
    this.#state = { ...this.#state, model: initialState.model };
    writeState(this.#state, false);
    this.#chrome();
    return this.#openModel(true);
  }

  /** A model that the page does not ask for by itself: says why, and shows the one in use or the embedded one. */
  async #declined(models: Models, id: string): Promise<boolean> {
    const wanted = this.#state;
    const { failure } = words;
    const lost = models.lostFile(id);
    const host = lost === null && models.accepts(id) && !this.#allowed.has(id) ? models.foreignHost(id) : null;
    if (lost === null && models.accepts(id) && host === null) return false;
    const allow = (whole: boolean) => (): void => {
      this.#allowed.add(id);
      if (whole) this.#wholeEmbeddings.add(id);
      this.#set({ ...wanted, prompt: this.#state.prompt }, true);
    };
    const refused = lost === null ? failure.notAccepted(id) : failure.lostFile(lost);
    const actions =
      host === null
        ? []
        : [
            { label: failure.loadFrom(host), act: allow(false) },
            { label: failure.loadRowsFirst, act: allow(true) },
          ];
    this.#workbench?.stay();
    this.#parts.progress.show('', null);
    const text = host === null ? refused : failure.foreign(host);
    this.#parts.notice.show(text, failure.dismiss, ...actions);
    const current = this.#workbench?.current;
    if (!current) await this.#embedded();
    else {
      this.#state = { ...(this.#left ?? wanted), prompt: wanted.prompt, model: current.id };
      writeState(this.#state, false);
      await this.#tokenize();
    }
    return true;
  }

  #events(): FlowEvents {
    return {
      progress: ({ stage, rows, rowCount }) => {
        const doing = words.computing.stage[stage.kind](stage.block);
        this.#parts.progress.show(words.computing.progress(doing, rows, rowCount), rowCount ? rows / rowCount : null);
        if (stage.kind === 'rest') this.#count(stage.block + 1);
      },
      flow: (data) => {
        this.#data = data;
        this.#parts.progress.show('', null);
        this.#count(data.block + 1);
        this.#paint();
        this.#refitTrail(data);
        void this.#origin();
      },
      heads: (block, heads) => {
        this.#thumbnails = { block, heads };
        this.#chrome();
      },
      next: (next) => {
        this.#parts.progress.show('', null);
        this.#answers.take(next);
        this.#count(this.#workbench?.current?.engine.info.config.blockCount ?? 0);
        void this.#workbench?.prove();
      },
      lacks: (goal, size) => this.#lacks(goal, bytes(size)),
      failure: (error) => {
        const current = this.#workbench?.current;
        const stays = this.#workbench?.fallback;
        const shown = this.#data !== null && this.#data.model === current?.engine.info;
        if (current && stays && stays !== current && !shown) void this.#keep(current.id, current.name, error);
        else this.#fail(words.failure.compute(message(error)), () => this.#show());
      },
    };
  }

  /** Of a model on another host: what that host learns. */
  async #origin(): Promise<void> {
    const bench = this.#workbench?.current;
    const host = bench ? (this.#models?.foreignHost(bench.id) ?? null) : null;
    if (!bench || host === null) return this.#parts.origin.show(null, words);
    const { tensors } = await bench.engine.status();
    if (this.#workbench?.current !== bench) return;
    const rows = tensors.filter(({ part }) => part === 'embeddings');
    const lacking = rows.reduce((sum, { size, present }) => sum + size - present, 0);
    this.#parts.origin.show({ host, rows: lacking > 0 ? bytes(lacking) : null }, words);
  }

  async #loadRows(): Promise<void> {
    try {
      await this.#workbench?.current?.engine.loadEmbeddings();
      this.#parts.progress.show('', null);
      await this.#origin();
    } catch (error) {
      this.#fail(message(error), () => void this.#loadRows());
    }
  }

  /** What is wanted needs bytes that the reader has not agreed to load. */
  #lacks(goal: Stage, size: string): void {
    this.#parts.progress.show('', null);
    const bench = this.#workbench?.current;
    if (!bench) return;
    const host = this.#models?.foreignHost(bench.id) ?? null;
    if (goal.kind === 'logits') {
      this.#answers.lacks(size, host);
      void this.#workbench?.prove();
      return;
    }
    const act = (): void => {
      this.#consent.allowBlock(goal.block);
      this.#parts.notice.show(null, words.failure.dismiss);
      this.#show();
    };
    const text = words.model.blockNeeds(goal.block, size, host);
    this.#parts.notice.show(text, words.failure.dismiss, { label: words.answer.load(size), act });
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

  get #view(): FlowOptions {
    const { names, withoutFirstKey, cell } = this.#state;
    return { palette: this.#palette, words, names, withoutFirstKey, cell, operands: this.#provenance.operands };
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
    const thumbnails = this.#thumbnails?.block === this.#state.block ? this.#thumbnails.heads : null;
    const { block, head, withoutFirstKey } = this.#state;
    const { blockCount: blocks, headCount: heads } = info.config;
    const computed = this.#used === 0 ? blocks : this.#computed;
    const picked = { blocks, heads, block, head, computed, withoutFirstKey, thumbnails };
    this.#parts.pickers.show(picked, this.#palette, words);
    const tokens = this.#tokens.slice(0, this.#used);
    const view = { engine, tokens, block: Math.min(block, blocks - 1), computed: this.#computed };
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

  /** `again` is offered as a button. */
  #fail(text: string, again: (() => void) | null = null): void {
    this.#parts.progress.show('', null);
    const retry = (): void => {
      this.#parts.notice.show(null, words.failure.dismiss);
      again?.();
    };
    const actions = again === null ? [] : [{ label: words.failure.again, act: retry }];
    this.#parts.notice.show(text, words.failure.dismiss, ...actions);
  }
}

define('hf-page', PageElement);
