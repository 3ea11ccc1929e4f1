// <hf-progress>: what is being loaded or computed, with numbers. It appears only when that takes a noticeable while.
import { define, emit, h, shadow, sheet } from './dom';
import { shared } from './theme';

const own = sheet(`
  :host { max-width: 100%; }
  .line { display: flex; flex-wrap: wrap; gap: 2px 14px; align-items: center; font-size: 14px; min-height: 42px; color: var(--ink-soft);
    font-variant-numeric: tabular-nums; }
  progress { appearance: none; width: clamp(56px, 17vw, 120px); height: 3px; border: 0; background: var(--rule); }
  progress::-webkit-progress-bar { background: var(--rule); }
  progress::-webkit-progress-value { background: var(--ink-soft); }
  progress::-moz-progress-bar { background: var(--ink-soft); }
`);

const PATIENCE = 250;

export class ProgressElement extends HTMLElement {
  readonly #text = h('span');
  /** Says what has begun; its numbers would be said too often. */
  readonly #spoken = h('span', { class: 'hidden', role: 'status' });
  readonly #bar = h('progress', { max: 1 });
  readonly #stop = h('button', { type: 'button', class: 'quiet' });
  readonly #line = h('div', { class: 'line', hidden: true }, this.#text, this.#bar, this.#stop);
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    super();
    shadow(this, shared, own, sheet('.line[hidden], progress[hidden], button[hidden] { display: none; }')).append(
      this.#line,
      this.#spoken,
    );
    this.#stop.addEventListener('click', () => emit(this, 'hf-stop', null));
  }

  /** An empty text ends it; `stop`: the words of the button that ends what is going on. */
  show(text: string, share: number | null, stop: string | null = null): void {
    if (!text) {
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = null;
      this.#line.hidden = true;
      this.#spoken.textContent = '';
      return;
    }
    this.#text.textContent = text;
    this.#stop.hidden = stop === null;
    this.#stop.textContent = stop;
    this.#bar.hidden = share === null;
    this.#bar.value = share ?? 0;
    this.#bar.setAttribute('aria-label', text);
    this.#timer ??= setTimeout(() => {
      this.#line.hidden = false;
      this.#spoken.textContent = this.#text.textContent;
    }, PATIENCE);
  }
}

define('hf-progress', ProgressElement);
