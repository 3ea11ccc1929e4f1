// <hf-notice>: failures in plain words. It takes no room while there is nothing to say.
import { define, h, shadow, sheet } from './dom';
import { shared } from './theme';

const own = sheet(`
  .line { display: flex; gap: 20px; align-items: baseline; font-size: 15px; padding: 0 0 16px; }
  .line[hidden] { display: none; }
  .text { border-left: 3px solid var(--ink); padding-left: 12px; max-width: 90ch; }
`);

export class NoticeElement extends HTMLElement {
  readonly #line = h('div', { class: 'line', role: 'alert', hidden: true });

  constructor() {
    super();
    shadow(this, shared, own).append(this.#line);
  }

  /** `action` is what the reader is asked to allow. */
  show(text: string | null, dismiss: string, action?: { readonly label: string; readonly act: () => void }): void {
    this.#line.hidden = text === null;
    this.#line.replaceChildren();
    if (text === null) return;
    const button = h('button', { type: 'button', class: 'quiet' }, dismiss);
    button.addEventListener('click', () => this.show(null, dismiss));
    this.#line.replaceChildren(h('span', { class: 'text' }, text), button);
    if (!action) return;
    const allow = h('button', { type: 'button', class: 'quiet allow' }, action.label);
    allow.addEventListener('click', action.act);
    button.before(allow);
  }
}

define('hf-notice', NoticeElement);
