// <hf-origin>: of a model on another host, what that host learns, and how to keep it from learning more.
import { define, emit, h, shadow, sheet } from '../ui/dom';
import { shared } from '../ui/theme';
import type { Words } from '../ui/words/words';

const own = sheet(`
  .line { font-size: 14px; color: var(--ink-soft); padding: 0 0 14px; display: flex; flex-wrap: wrap; gap: 2px 16px; max-width: 110ch; }
  .line[hidden], button[hidden] { display: none; }
`);

export interface Origin {
  readonly host: string;
  /** What of the embedding rows is still to be loaded, as text; null once all are there. */
  readonly rows: string | null;
}

export class OriginElement extends HTMLElement {
  readonly #text = h('span');
  readonly #load = h('button', { type: 'button', class: 'quiet' });
  readonly #line = h('div', { class: 'line', hidden: true }, this.#text, this.#load);

  constructor() {
    super();
    shadow(this, shared, own).append(this.#line);
    this.#load.addEventListener('click', () => emit(this, 'hf-load-rows', null));
  }

  /** Null: the model comes from the page's own host, or from the reader's disk. */
  show(origin: Origin | null, { origin: words }: Words): void {
    this.#line.hidden = origin === null;
    if (!origin) return;
    this.#text.textContent = origin.rows === null ? words.whole(origin.host) : words.rows(origin.host);
    this.#load.hidden = origin.rows === null;
    this.#load.textContent = words.load(origin.rows ?? '');
  }
}

define('hf-origin', OriginElement);
