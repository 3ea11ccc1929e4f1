// Where the tour stands in the page: nothing until it is taken, then its element, loaded once.
import { h } from '../ui/dom';
import type { ViewState } from '../ui/state';
import type { InsideView } from '../views/inside/panel';
import type { TourElement } from '../views/tour/element';
import type { Pointed } from '../views/tour/steps';

export class Tour {
  readonly element = h('div', { class: 'tour', hidden: true });
  #tour: TourElement | null = null;
  #loading = false;
  /** What is to be shown once it is loaded. */
  #show: (() => void) | null = null;

  /** `run` is null while there is nothing to tell of. */
  show(step: ViewState['tour'], run: InsideView | null, allowed: boolean): void {
    this.element.hidden = step === null || run === null;
    this.#show = null;
    if (step === null || run === null) {
      if (step === null) this.#tour?.remove();
      return;
    }
    if (this.#tour) {
      if (!this.#tour.isConnected) this.element.append(this.#tour);
      this.#tour.show({ run, step, allowed });
      return;
    }
    this.#show = () => this.show(step, run, allowed);
    if (!this.#loading) void this.#load();
  }

  /** Whether a change of the reader's is an answer to the tour's question, and nothing else. */
  hears(pointed: Pointed): boolean {
    return !this.element.hidden && (this.#tour?.hears(pointed) ?? false);
  }

  async #load(): Promise<void> {
    this.#loading = true;
    try {
      const { create } = await import('../views/tour/element');
      this.#tour = create();
      this.#show?.();
    } catch {
      this.#loading = false; // It is asked for again with the next change.
    }
  }
}
