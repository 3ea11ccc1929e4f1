// <hf-notice>: failures in plain words. It takes no room while there is nothing to say.
import { define, h, shadow, sheet } from './dom';
import { shared } from './theme';

const own = sheet(`
  .line { display: flex; flex-wrap: wrap; gap: 6px 20px; align-items: baseline; font-size: 15px; padding: 0 0 16px; }
  .line[hidden] { display: none; }
  .text { border-left: 3px solid var(--ink); padding-left: 12px; max-width: 90ch; }
`);

export interface NoticeAction {
  readonly label: string;
  readonly act: () => void;
}

export class NoticeElement extends HTMLElement {
  readonly #line = h('div', { class: 'line', role: 'alert', hidden: true });

  constructor() {
    super();
    shadow(this, shared, own).append(this.#line);
  }

  /** `actions` are what the reader is asked to choose from. */
  show(text: string | null, dismiss: string, ...actions: readonly NoticeAction[]): void {
    this.#line.hidden = text === null;
    this.#line.replaceChildren();
    if (text === null) return;
    const button = h('button', { type: 'button', class: 'quiet' }, dismiss);
    button.addEventListener('click', () => this.show(null, dismiss));
    const choices = actions.map(({ label, act }) => {
      const choice = h('button', { type: 'button', class: 'quiet allow' }, label);
      choice.addEventListener('click', act);
      return choice;
    });
    this.#line.replaceChildren(h('span', { class: 'text' }, text), ...choices, button);
  }
}

define('hf-notice', NoticeElement);
