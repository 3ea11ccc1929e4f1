// The view state in the URL fragment: choices are steps of the browser's history, typing and pointing are not.
import { encodeState, type ViewState } from '../ui/state';

/** Browsers count changes of the address and refuse more than some hundred in half a minute: milliseconds between two. */
const PAUSE = 350;

export const readAddress = (): string => location.hash;

/** What writes the address, and when. */
export interface History {
  readonly href: string;
  push(url: string): void;
  replace(url: string): void;
  /** Runs `later` after so many milliseconds; calling the result prevents it. */
  wait(milliseconds: number, later: () => void): () => void;
}

const ofBrowser: History = {
  get href() {
    return location.href;
  },
  push: (url) => history.pushState(null, '', url),
  replace: (url) => history.replaceState(null, '', url),
  wait(milliseconds, later) {
    const timer = setTimeout(later, milliseconds);
    return () => clearTimeout(timer);
  },
};

export class Address {
  readonly #history: History;
  /** What the address is to be, where that has to wait. */
  #pending: ViewState | null = null;
  /** Set for a while after the address was changed. */
  #pause: (() => void) | null = null;

  constructor(history = ofBrowser) {
    this.#history = history;
  }

  /** Steps are written at once, and so is the first of many changes; the last of them follows. */
  write(state: ViewState, step: boolean): void {
    if (step) {
      this.flush();
      this.#change(state, (url) => this.#history.push(url));
    } else if (this.#pause) this.#pending = state;
    else this.#replace(state);
  }

  /** Writes what waits. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = null;
    if (pending) this.#replace(pending);
  }

  /** The reader has gone to another address: what waits belonged to the one before. */
  left(): void {
    this.#pending = null;
  }

  #replace(state: ViewState): void {
    this.#change(state, (url) => {
      this.#history.replace(url);
      this.#pause?.();
      this.#pause = this.#history.wait(PAUSE, () => {
        this.#pause = null;
        this.flush();
      });
    });
  }

  #change(state: ViewState, write: (url: string) => void): void {
    const { href } = this.#history;
    const fragment = encodeState(state);
    const url = href.replace(/#.*/s, '') + (fragment ? `#${fragment}` : '');
    if (url !== href) write(url);
  }
}

/** `listener` is told when the reader goes to another address of the page, or leaves it. */
export function onAddressChange(address: Address, listener: (fragment: string) => void): void {
  const moved = (): void => {
    address.left();
    listener(location.hash);
  };
  addEventListener('popstate', moved);
  addEventListener('hashchange', moved);
  addEventListener('pagehide', () => address.flush());
}
