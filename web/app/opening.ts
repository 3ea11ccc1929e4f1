// Opens the model that the state asks for; where that can't be or may not be, says why and goes on with another.
import type { LoadProgress } from '../engine/api';
import { bytes } from '../ui/numbers';
import { initialState, type ViewState } from '../ui/state';
import type { Words } from '../ui/words/words';
import { message } from './failures';
import type { Models } from './models';
import type { Parts } from './parts';
import type { Workbench } from './workbench';

/** What the page does for whoever opens models. */
export interface OpeningPage {
  readonly state: ViewState;
  /** Another state, which is no step of the browser's history; the address follows unless it asks for more. */
  replace(state: ViewState, addressStays?: boolean): void;
  /** Another state, as if the reader had chosen it. */
  choose(part: Partial<ViewState>): void;
  /** There is another model in use, or the one before again: all is to be shown anew. */
  renew(): Promise<void>;
  /** `again` is offered as a button. */
  fail(text: string, again: () => void): void;
}

export class Opening {
  readonly #page: OpeningPage;
  readonly #models: Models;
  readonly #workbench: Workbench;
  readonly #parts: Parts;
  readonly #words: Words;
  /** The view of the model that was left for another: if that one fails, it is back. */
  #left: ViewState | null = null;
  /** Models on other hosts that the reader asked for. */
  readonly #allowed = new Set<string>();
  /** Those of them whose embedding rows are loaded whole, before anything of a prompt is asked for. */
  readonly #wholeEmbeddings = new Set<string>();

  constructor(page: OpeningPage, models: Models, workbench: Workbench, parts: Parts, words: Words) {
    this.#page = page;
    this.#models = models;
    this.#workbench = workbench;
    this.#parts = parts;
    this.#words = words;
  }

  /** `left`: the view before the state asked for another model. `told`: the notice says why, and stays. */
  async open(left: ViewState | null = null, told = false): Promise<void> {
    if (left !== null) this.#left = left;
    const id = this.#page.state.model;
    if (this.#workbench.current?.id === id) {
      this.#workbench.stay();
      return this.#page.renew();
    }
    if (!(await this.#declined(id))) await this.#load(id, told);
  }

  /** The model in use, from its file again: what was loaded of it can't be used. */
  anew(): Promise<void> {
    return this.#load(this.#page.state.model, false);
  }

  async #load(id: string, told: boolean): Promise<void> {
    const name = this.#models.name(id);
    this.#parts.progress.show(this.#words.model.opening(name), null, this.#words.model.stop);
    try {
      const source = this.#models.source(id, this.#wholeEmbeddings.has(id));
      const chosen = await this.#workbench.choose(id, name, source, (progress) => this.#loads(name, progress));
      if (!chosen) return;
      if (!told) this.#parts.notice.show(null, this.#words.failure.dismiss);
      await this.#page.renew();
    } catch (error) {
      if (this.#page.state.model === id) await this.#keep(id, name, error);
    }
  }

  /** Ends what is being opened or loaded. */
  stop(): void {
    this.#workbench.stay();
    void this.#workbench.current?.engine.stopLoading();
  }

  /** The model in use failed before it has `shown` anything: false where there is none to go back to. */
  giveUp(error: unknown, shown: boolean): boolean {
    const { current, fallback } = this.#workbench;
    if (!current || !fallback || fallback === current || shown) return false;
    void this.#keep(current.id, current.name, error);
    return true;
  }

  #loads(name: string, { loaded, total, trouble }: LoadProgress): void {
    const { model } = this.#words;
    const text = trouble === null ? model.loading(name, bytes(loaded), bytes(total)) : model.retrying(trouble);
    this.#parts.progress.show(text, total ? loaded / total : null, model.stop);
  }

  /** A model failed: says so, and goes on with the one before. */
  async #keep(id: string, name: string, error: unknown): Promise<void> {
    const { failure, model } = this.#words;
    const failed = this.#workbench.current?.id === id;
    const stays = failed ? this.#workbench.fallback : this.#workbench.current;
    if (failed) await this.#workbench.retreat();
    const outcome = stays ? failure.stays(stays.name) : model.none;
    const other = !stays && this.#page.state.model !== initialState.model;
    const said = other ? failure.instead(this.#models.name(initialState.model)) : outcome;
    const again = (): void => this.#page.choose({ model: id, block: 0, head: 0, cell: null });
    this.#page.fail(`${failure.open(name, message(error))} ${said}`, again);
    if (other) return this.#embedded();
    if (stays) await this.#return(stays.id);
  }

  /** To the view before, of the model with this id. */
  #return(id: string): Promise<void> {
    const { state } = this.#page;
    this.#page.replace({ ...(this.#left ?? state), prompt: state.prompt, model: id });
    return this.#page.renew();
  }

  /** A page that is loaded anew, or an address that is copied, still asks for the model. */
  #embedded(): Promise<void> {
    this.#page.replace({ ...this.#page.state, model: initialState.model }, true);
    return this.open(null, true);
  }

  /** A model that the page does not ask for by itself: says why, and shows the one in use or the embedded one. */
  async #declined(id: string): Promise<boolean> {
    const { failure } = this.#words;
    const lost = this.#models.lostFile(id);
    const accepted = lost === null && this.#models.accepts(id);
    const host = accepted && !this.#allowed.has(id) ? this.#models.foreignHost(id) : null;
    if (accepted && host === null) return false;
    const refused = lost === null ? failure.notAccepted(id) : failure.lostFile(lost);
    this.#workbench.stay();
    this.#parts.progress.show('', null);
    if (host === null) this.#parts.notice.show(refused, failure.dismiss);
    else this.#parts.notice.show(failure.foreign(host), failure.dismiss, ...this.#permissions(id, host));
    const { current } = this.#workbench;
    await (current ? this.#return(current.id) : this.#embedded());
    return true;
  }

  #permissions(id: string, host: string) {
    const wanted = this.#page.state;
    const allow = (whole: boolean) => (): void => {
      this.#allowed.add(id);
      if (whole) this.#wholeEmbeddings.add(id);
      this.#parts.notice.show(null, this.#words.failure.dismiss);
      this.#page.choose({ ...wanted, prompt: this.#page.state.prompt });
    };
    const { failure } = this.#words;
    return [
      { label: failure.loadFrom(host), act: allow(false) },
      { label: failure.loadRowsFirst, act: allow(true) },
    ];
  }
}
