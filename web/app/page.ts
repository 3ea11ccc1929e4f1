// <hf-page>: the application: it holds the view state, the address and the model in use, and composes the figure, the
// choice of block and head, and the panels. It alone touches the document and the browser's history.
import type { ComputeProgress, OpenEngine, Stage } from '../engine/api';
import type { FigureInput, FigureNews } from '../figure/input';
import { pathAfter } from '../figure/path';
import { define, shadow } from '../ui/dom';
import { bytes } from '../ui/numbers';
import {
  decodeState,
  type FigureState,
  initialState,
  type StageId,
  type StateChange,
  type ViewState,
} from '../ui/state';
import { applyTheme, onPreferenceChange, resolveTheme, shared } from '../ui/theme';
import { en } from '../ui/words/en';
import type { Offline } from '../ui/words/words';
import { Activity } from './activity';
import { Address, onAddressChange, readAddress } from './address';
import { Consent } from './consent';
import { type Dropped, onFileDrop } from './drop';
import { isSpoilt, message } from './failures';
import { ModelSlot } from './model-slot';
import { type KnownModel, Models, modelFacts } from './models';
import { Notices } from './notices';
import { Opening } from './opening';
import { corrected, unread } from './out-of-range';
import { arranged, makeParts } from './parts';
import { presentKey } from './present';
import { onRefusal } from './refusals';
import type { Story } from './stories';
import { pageSheet } from './styles';
import { Transfer } from './transfer';

const words = en;

/** A new prompt has nothing selected. */
const fresh = { row: null, cell: null, from: null } as const;

/** What is kept for a model that is being opened when it changes in the figure of the one in use. */
const common = [
  'prompt',
  'names',
  'offBy',
  'stage',
  'scale',
  'lighting',
  'ids',
  'present',
  'theme',
  'inside',
  'load',
] as const;

/** Everything that is there once a model can be opened. */
interface Running {
  readonly models: Models;
  readonly slot: ModelSlot;
  readonly opening: Opening;
  readonly transfer: Transfer;
}

export class PageElement extends HTMLElement {
  /** What is shown, of the model in use. */
  #state: ViewState = decodeState(readAddress());
  readonly #parts = makeParts(words);
  readonly #address = new Address();
  readonly #notices = new Notices(this.#parts.notice, words.failure.dismiss);
  readonly #activity = new Activity(this.#parts.progress, words);
  readonly #consent = new Consent();
  #running: Running | null = null;
  /** The list of models is being read. */
  #lists = false;
  /** Those of the model in use; null while they are being read. */
  #stories: { readonly model: string; readonly list: readonly Story[] } | null = null;
  /** The state is the address's, and was not yet compared with what model and prompt have. */
  #unchecked = true;

  constructor() {
    super();
    shadow(this, shared, pageSheet).append(...arranged(this.#parts, words));
  }

  /** Called once, by main.ts. */
  async start(open: OpenEngine, manifest: string | readonly KnownModel[]): Promise<void> {
    this.#listen();
    this.#theme();
    const models = new Models(manifest);
    const slot = new ModelSlot(open);
    const [notices, activity] = [this.#notices, this.#activity];
    const current = (): ViewState => this.#state;
    const page = {
      get state() {
        return current();
      },
      use: (state: ViewState) => this.#use(state),
      retract: (state: ViewState) => {
        this.#address.write(state, false);
        this.#use(state);
      },
      choose: (part: Partial<ViewState>) => this.#set(part, true),
      changed: () => this.#chrome(),
    };
    const opening = new Opening(page, { models, slot, notices, activity }, words);
    const fail = (text: string, again: () => void): void => this.#fail(text, again);
    const rest = (): void => activity.rests();
    const transfer = new Transfer({ models, slot, origin: this.#parts.origin, fail, rest }, words);
    this.#running = { models, slot, opening, transfer };
    this.#sayUnread(readAddress());
    this.#show();
    await this.#begin(this.#running);
  }

  /** What the list of models is not needed for does not wait for it. */
  async #begin({ models, slot, opening }: Running): Promise<void> {
    const now = models.knows(this.#state.model) ? opening.open(this.#state) : null;
    this.#activity.reads(now === null);
    this.#lists = true;
    const read = await this.#readList(models);
    this.#lists = false;
    this.#activity.reads(false);
    this.#chrome();
    if (now !== null) return now;
    // Without the list, the embedded model's name leads nowhere.
    const nowhere = !read && this.#state.model === initialState.model;
    if (!slot.current && !opening.wanted && !nowhere) await opening.open(this.#state);
  }

  async #readList(models: Models): Promise<boolean> {
    try {
      const unusable = await models.readManifest();
      if (unusable > 0) this.#notices.show('list', words.failure.manifestEntries(unusable));
      return true;
    } catch (error) {
      const act = (): void => void (this.#running && this.#begin(this.#running));
      this.#notices.show('list', words.failure.manifest(message(error)), { label: words.failure.again, act });
      return false;
    }
  }

  #listen(): void {
    const on = <T>(type: string, act: (detail: T) => void): void =>
      this.addEventListener(type, (event) => act((event as CustomEvent<T>).detail));
    on<string>('hf-prompt', (prompt) => this.#set({ ...fresh, prompt }, false));
    on<Pick<ViewState, 'row' | 'cell'>>('hf-select', (part) => this.#set(part, this.#state.path.length > 0));
    on<Partial<ViewState>>('hf-option', (part) => this.#set(part, true));
    on<string>('hf-model', (model) => this.#set({ model, block: 0, head: 0, cell: null }, true));
    on<null>('hf-stop', () => this.#running?.opening.stop());
    on<null>('hf-load-rows', () => this.#running?.transfer.loadRows());
    on<File>('hf-file', (file) => this.#openFile(file));
    on<StateChange<FigureState>>(
      'hf-change',
      ({ part, step }) => this.#parts.tour.hears(part) || this.#set(part, step),
    );
    on<Partial<FigureState>>('hf-view', (part) => this.#set(part, false));
    on<StageId>('hf-look', (stage) => this.#parts.figure.look(stage));
    on<Stage>('hf-allow', (goal) => this.#allow(goal));
    on<{ goal: Stage; size: number }>('hf-lacks', ({ goal, size }) => this.#lacks(goal, size));
    on<unknown>('hf-failure', (error) => this.#failed(error));
    on<ComputeProgress | null>('hf-computing', (now) => (now ? this.#activity.computes(now) : this.#activity.rests()));
    on<FigureNews>('hf-news', (news) => this.#hear(news));
    onAddressChange(this.#address, (fragment) => this.#go(fragment));
    onPreferenceChange(() => this.#theme());
    document.addEventListener('keydown', (event) => this.#key(event));
    onFileDrop(this.#parts.dropping, (dropped) => this.#take(dropped));
    onRefusal((directive, address) => this.#parts.forbidden.append(words.forbidden(directive, address), ' '));
  }

  /** Whether the embedded model is kept whole, once what was missing has come; false while another is shown, or only part may load. */
  async keepModel(): Promise<boolean> {
    const current = this.#running?.slot.current;
    if (current?.id !== initialState.model || !this.#consent.allowed(this.#state, false).answer) return false;
    return current.engine.keepWhole();
  }

  showOffline(state: Offline): void {
    this.#parts.offline.replaceChildren(words.offline[state]);
  }

  #take({ file, others, folders: [folder] }: Dropped): void {
    const taken = file !== null && others.length > 0 ? words.drop.others(file.name, others) : null;
    this.#notices.show('drop', file === null && folder !== undefined ? words.drop.folder(folder) : taken);
    if (file) this.#openFile(file);
  }

  #openFile(file: File): void {
    const model = this.#running?.models.addFile(file);
    if (model) this.#set({ model, block: 0, head: 0, cell: null }, true);
  }

  /** Keys that no part of the page has taken. */
  #key(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !event.defaultPrevented && this.#parts.figure.endExplanation()) return;
    const part = presentKey(event, this.#state);
    if (part) this.#set(part, part.stage === undefined);
  }

  /** Another address of the page. */
  #go(fragment: string): void {
    this.#unchecked = true;
    this.#set(decodeState(fragment), false);
    this.#sayUnread(fragment);
    this.#check();
  }

  #sayUnread(fragment: string): void {
    const said = unread(fragment, words);
    this.#notices.show('address', said.length > 0 ? said.join(' ') : null);
  }

  #set(part: Partial<ViewState>, step: boolean): void {
    const running = this.#running;
    if (!running) return;
    const { models, slot, opening } = running;
    const before = this.#state;
    const pending = opening.wanted;
    const model = part.model ?? (pending ?? before).model;
    const another = part.model !== undefined && (model !== (pending ?? before).model || !(slot.current || pending));
    const after = { ...before, ...part, model, path: pathAfter(before, part) };
    this.#goOn();
    if (step || part.prompt !== undefined) this.#notices.show('address', null);
    if (another) {
      if (!slot.current) this.#state = after;
      this.#address.write(after, step);
      // Where a name leads, the list says: whoever reads it opens the model then.
      if (!this.#lists || models.knows(model)) void opening.open(after);
    } else {
      if (part.model === undefined || !pending) this.#state = { ...after, model: before.model };
      opening.amend(slot.current && part.model === undefined ? forAnyModel(part) : part);
      this.#address.write(opening.wanted ?? this.#state, step);
    }
    if (this.#state.theme !== before.theme) applyTheme(resolveTheme(this.#state.theme));
    this.#show();
  }

  /** A model is in use with this state. */
  #use(state: ViewState): void {
    this.#state = state;
    this.#show();
  }

  #theme(): void {
    applyTheme(resolveTheme(this.#state.theme));
    this.#show();
  }

  #show(): void {
    this.#parts.figure.show(this.#input);
    this.#chrome();
  }

  get #input(): FigureInput {
    const { slot, transfer, models } = this.#running ?? {};
    const current = slot?.current ?? null;
    const allowed = this.#consent.allowed(this.#state, current !== null && (models?.isFile(current.id) ?? false));
    const theme = resolveTheme(this.#state.theme);
    return { engine: current?.engine ?? null, state: this.#state, words, theme, allowed, host: transfer?.host ?? null };
  }

  /** The figure has something new to show. */
  #hear(news: FigureNews): void {
    const { slot, transfer } = this.#running ?? {};
    if (news === 'tokens') this.#check();
    if (news === 'picture') {
      this.#activity.rests();
      void transfer?.tellOrigin();
    }
    if (news === 'answer') {
      this.#activity.rests();
      void slot?.prove();
    }
    this.#chrome();
  }

  /** What the address asks for in vain is said, and shown as it can be. */
  #check(): void {
    const engine = this.#running?.slot.current?.engine;
    const { used, prompt } = this.#parts.figure.status;
    if (!this.#unchecked || !engine || used === 0 || prompt !== this.#state.prompt) return;
    this.#unchecked = false;
    const { state, said } = corrected(this.#state, engine.info, used, words);
    if (said.length === 0) return;
    const all = [...unread(readAddress(), words), ...said];
    this.#address.write(state, false);
    this.#notices.show('address', all.join(' '));
    this.#use(state);
  }

  /** The reader has agreed to load what `goal` needs. */
  #allow(goal: Stage): void {
    this.#consent.allow(goal);
    this.#goOn();
    this.#show();
  }

  /** `goal` needs so many bytes that the reader has not agreed to load. */
  #lacks(goal: Stage, size: number): void {
    const { slot, transfer } = this.#running ?? {};
    this.#activity.rests();
    if (goal.kind === 'logits') {
      void slot?.prove(); // It has shown all that it may.
      return;
    }
    const text = words.model.blockNeeds(goal.block, bytes(size), transfer?.host ?? null);
    const act = (): void => this.#allow(goal);
    this.#notices.show('block', text, { label: words.answer.load(bytes(size)), act });
  }

  #failed(error: unknown): void {
    const opening = this.#running?.opening;
    if (!opening) return;
    this.#activity.rests();
    if (opening.giveUp(error, this.#parts.figure.status.drawn)) return;
    const again = isSpoilt(error) ? () => void opening.anew() : () => this.#parts.figure.retry();
    this.#fail(words.failure.compute(message(error)), again);
  }

  #fail(text: string, again: () => void): void {
    this.#activity.rests();
    this.#notices.show('compute', text, { label: words.failure.again, act: again });
  }

  /** The reader wants something else, so that it is computed again: it has not stopped. */
  #goOn(): void {
    this.#notices.show('compute', null);
    this.#notices.show('block', null);
  }

  async #tell(models: Models, model: string): Promise<void> {
    if (this.#stories?.model === model) return;
    this.#stories = { model, list: [] };
    const list = await models.stories(model);
    if (this.#stories?.model !== model) return;
    this.#stories = { model, list };
    this.#chrome();
  }

  /** All that is around the figure. */
  #chrome(): void {
    const { slot, models, opening } = this.#running ?? {};
    const engine = slot?.current?.engine;
    const info = engine?.info;
    const { prompt, present } = this.#state;
    const { figure, inside, options, tour } = this.#parts;
    this.toggleAttribute('present', present);
    const status = figure.status;
    this.#parts.prompt.value = prompt;
    if (models && slot?.current) void this.#tell(models, slot.current.id);
    this.#parts.stories.show(
      this.#stories?.model === slot?.current?.id ? (this.#stories?.list ?? []) : [],
      this.#state,
      words,
    );
    const named = slot?.current?.id ?? opening?.wanted?.model ?? this.#state.model;
    options.show({ ...this.#state, model: named }, models?.choices(named) ?? [], modelFacts(info, words), words);
    this.#parts.prompt.count(status.tokens.length, status.used, words);
    this.#parts.prompt.ids = this.#state.ids;
    this.#parts.prompt.likeliest = status.prompt === prompt ? status.likeliest : null;
    if (!engine || !info) return;
    const block = Math.min(this.#state.block, info.config.blockCount - 1);
    const tokens = status.tokens.slice(0, status.used);
    const { off, offBy } = this.#state;
    const edits = off.map((place) => ({ ...place, by: offBy }));
    const view = { engine, tokens, edits, prompt: status.prompt ?? '', block, computed: status.computed };
    const run = status.used > 0 && status.prompt === prompt ? view : null;
    inside.show(this.#state.inside, status.used > 0 && status.prompt !== null ? view : null, words);
    tour.show(this.#state.tour, run, this.#input.allowed.answer);
  }
}

/** What of a change holds for any model. */
function forAnyModel(part: Partial<ViewState>): Partial<ViewState> {
  const kept = Object.fromEntries(common.filter((key) => key in part).map((key) => [key, part[key]]));
  return 'prompt' in part ? { ...kept, ...fresh, path: [] } : kept;
}

define('hf-page', PageElement);
