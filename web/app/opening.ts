// Opens the model that the reader or the address asks for; where that can't be or may not be, says why and goes on with
// another. Until a model is open, the page shows the one before it: its name, its state and its numbers.
import type { LoadProgress } from '../engine/api';
import { initialState, type ViewState } from '../ui/state';
import type { Words } from '../ui/words/words';
import type { Activity } from './activity';
import { message } from './failures';
import type { ModelSlot } from './model-slot';
import type { Models } from './models';
import type { Notices } from './notices';

/** What the page does for whoever opens models. */
export interface OpeningPage {
  /** What is shown of the model in use. */
  readonly state: ViewState;
  /** A model is in use with this state: all is shown anew. */
  use(state: ViewState): void;
  /** What was wanted can't be had: the address is of what is shown instead. */
  retract(state: ViewState): void;
  /** Another state, as if the reader had chosen it. */
  choose(part: Partial<ViewState>): void;
  /** What is wanted has changed: the page says so. */
  changed(): void;
}

interface Around {
  readonly models: Models;
  readonly slot: ModelSlot;
  readonly notices: Notices;
  readonly activity: Activity;
}

export class Opening {
  readonly #page: OpeningPage;
  readonly #around: Around;
  readonly #words: Words;
  /** The state that is wanted of a model that is being opened. */
  #wanted: ViewState | null = null;
  /** The last attempt to open a model: what any earlier one comes to does not matter. */
  #attempt: symbol | null = null;
  /** The view of the model that was left for another: if that one fails, it is back. */
  #left: ViewState | null = null;
  /** Models on other hosts that the reader asked for. */
  readonly #allowed = new Set<string>();
  /** Those of them whose embedding rows are loaded whole, before anything of a prompt is asked for. */
  readonly #wholeEmbeddings = new Set<string>();

  constructor(page: OpeningPage, around: Around, words: Words) {
    this.#page = page;
    this.#around = around;
    this.#words = words;
  }

  get wanted(): ViewState | null {
    return this.#wanted;
  }

  /** What is wanted of the model that is being opened changes with what is shown. */
  amend(part: Partial<ViewState>): void {
    if (this.#wanted) this.#wanted = { ...this.#wanted, ...part };
  }

  /** `told`: a notice says why, and stays. */
  async open(wanted: ViewState, told = false): Promise<void> {
    const { slot, activity, notices } = this.#around;
    this.#attempt = null;
    if (slot.current?.id === wanted.model) {
      slot.stay();
      activity.opened();
      this.#wanted = null;
      return this.#page.use(wanted);
    }
    if (this.#declined(wanted)) return;
    if (!told) notices.show('model', null);
    await this.#load(wanted);
  }

  /** The model in use, from its file again: what was loaded of it can't be used. */
  anew(): Promise<void> {
    return this.#load(this.#page.state);
  }

  async #load(wanted: ViewState): Promise<void> {
    const { model: id } = wanted;
    const { models, slot, activity } = this.#around;
    const name = models.name(id);
    const attempt = Symbol(id);
    this.#attempt = attempt;
    this.#wanted = wanted;
    activity.opens(name);
    this.#page.changed();
    const progress = (now: LoadProgress): void => activity.loads(name, now, this.#attempt === attempt);
    try {
      const source = models.source(id, this.#wholeEmbeddings.has(id));
      if (!(await slot.choose(id, name, source, progress)) || this.#attempt !== attempt) return;
      this.#done();
      models.opened(id);
      this.#left = this.#page.state;
      this.#page.use(this.#take() ?? wanted);
    } catch (error) {
      if (this.#attempt !== attempt) return;
      this.#done();
      await this.#keep(id, name, error);
    }
  }

  #done(): void {
    this.#attempt = null;
    this.#around.activity.opened();
  }

  #take(): ViewState | null {
    const wanted = this.#wanted;
    this.#wanted = null;
    return wanted;
  }

  /** Ends what is being opened or loaded. */
  stop(): void {
    const { slot } = this.#around;
    slot.stay();
    void slot.current?.engine.stopLoading();
  }

  /** The model in use failed before it has `shown` anything: false where there is none to go back to. */
  giveUp(error: unknown, shown: boolean): boolean {
    const { current, fallback } = this.#around.slot;
    if (!current || !fallback || fallback === current || shown) return false;
    void this.#keep(current.id, current.name, error);
    return true;
  }

  /** A model failed: says so, and goes on with the one before. */
  async #keep(id: string, name: string, error: unknown): Promise<void> {
    const { failure, model } = this.#words;
    const { slot, models, notices } = this.#around;
    const wanted = this.#take();
    const failed = slot.current?.id === id;
    const stays = failed ? slot.fallback : slot.current;
    models.failed(id);
    if (failed) await slot.retreat();
    const outcome = stays ? failure.stays(stays.name) : model.none;
    const other = !stays && id !== initialState.model;
    const said = other ? failure.instead(models.name(initialState.model)) : outcome;
    const again = (): void => this.#page.choose({ model: id, block: 0, head: 0, cell: null });
    notices.show('model', `${failure.open(name, message(error))} ${said}`, { label: failure.again, act: again });
    if (other) return this.#embedded(wanted ?? this.#page.state);
    const { state } = this.#page;
    if (stays) this.#page.retract(failed && this.#left ? { ...this.#left, prompt: state.prompt } : state);
    else this.#page.changed();
  }

  /** A page that is loaded anew, or an address that is copied, still asks for the model. */
  #embedded(state: ViewState): Promise<void> {
    return this.open({ ...state, model: initialState.model }, true);
  }

  /** A model that the page does not ask for by itself: says why, and shows the one in use or the embedded one. */
  #declined(wanted: ViewState): boolean {
    const { failure } = this.#words;
    const { models, slot, notices, activity } = this.#around;
    const { model: id } = wanted;
    const lost = models.lostFile(id);
    const accepted = lost === null && models.accepts(id);
    const host = accepted && !this.#allowed.has(id) ? models.foreignHost(id) : null;
    if (accepted && host === null) return false;
    slot.stay();
    activity.opened();
    this.#wanted = null;
    if (host === null) notices.show('model', lost === null ? failure.notAccepted(id) : failure.lostFile(lost));
    else notices.show('model', failure.foreign(host), ...this.#permissions(wanted, host));
    if (slot.current) this.#page.retract({ ...this.#page.state, prompt: wanted.prompt });
    else void this.#embedded(wanted);
    return true;
  }

  #permissions(wanted: ViewState, host: string) {
    const allow = (whole: boolean) => (): void => {
      this.#allowed.add(wanted.model);
      if (whole) this.#wholeEmbeddings.add(wanted.model);
      this.#page.choose({ ...wanted, prompt: this.#page.state.prompt });
    };
    const { failure } = this.#words;
    return [
      { label: failure.loadFrom(host), act: allow(false) },
      { label: failure.loadRowsFirst, act: allow(true) },
    ];
  }
}
