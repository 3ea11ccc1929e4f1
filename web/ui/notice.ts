// <hf-notice>: failures in plain words, a line for each matter. It takes no room while there is nothing to say.
import { define, h, shadow, sheet } from './dom';
import { shared } from './theme';

const own = sheet(`
  .line { display: flex; flex-wrap: wrap; gap: 6px 20px; align-items: baseline; font-size: 15px; padding: 0 0 16px; }
  .text { border-left: 3px solid var(--ink); padding-left: 12px; max-width: 90ch; }
`);

export interface NoticeAction {
  readonly label: string;
  readonly act: () => void;
}

export class NoticeElement extends HTMLElement {
  /** Present from the start, so that what comes into it is read out. */
  readonly #lines = h('div', { role: 'alert' });
  readonly #shown = new Map<string, HTMLElement>();

  constructor() {
    super();
    shadow(this, shared, own).append(this.#lines);
  }

  /** A null text takes the matter's line away. `actions` are what the reader is asked to choose from. */
  show(matter: string, text: string | null, dismiss: string, ...actions: readonly NoticeAction[]): void {
    const before = this.#shown.get(matter);
    if (text === null) {
      before?.remove();
      this.#shown.delete(matter);
      return;
    }
    const button = h('button', { type: 'button', class: 'quiet' }, dismiss);
    button.addEventListener('click', () => this.show(matter, null, dismiss));
    const choices = actions.map(({ label, act }) => {
      const choice = h('button', { type: 'button', class: 'quiet allow' }, label);
      choice.addEventListener('click', act);
      return choice;
    });
    const line = h('div', { class: 'line' }, h('span', { class: 'text' }, text), ...choices, button);
    if (before) before.replaceWith(line);
    else this.#lines.append(line);
    this.#shown.set(matter, line);
  }
}

define('hf-notice', NoticeElement);
