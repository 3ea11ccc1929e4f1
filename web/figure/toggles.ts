// <hf-toggles>: what the figure is to show besides the numbers, and which rows of a long prompt.
import { define, emit, h, shadow, sheet } from '../ui/dom';
import type { FigureState } from '../ui/state';
import { shared } from '../ui/theme';
import type { Words } from '../ui/words/words';

const own = sheet(`
  :host { display: flex; flex-wrap: wrap; gap: 4px 22px; align-items: baseline; font-size: 14px; color: var(--ink-soft);
    position: relative; z-index: 1; }
  button { padding-bottom: 1px; border-bottom: 1px solid var(--rule); }
  button:hover { color: var(--ink); border-bottom-color: var(--ink); }
  button[aria-pressed=true] { color: var(--ink); box-shadow: 0 1px 0 var(--ink); border-bottom-color: var(--ink); }
  button[hidden] { display: none; }
  .rows:empty { display: none; }
  .rows { font-variant-numeric: tabular-nums; }
`);

/** Which tokens are rows: first to last of `tokens`, `size` to a row. */
export interface RowsShown {
  readonly first: number;
  readonly last: number;
  readonly tokens: number;
  readonly size: number;
}

export class TogglesElement extends HTMLElement {
  readonly #names = h('button', { type: 'button' });
  readonly #rows = h('span', { class: 'rows', role: 'status' });
  readonly #zoom = h('button', { type: 'button' });
  readonly #earlier = h('button', { type: 'button' });
  readonly #later = h('button', { type: 'button' });
  #state: FigureState | null = null;
  #shown: RowsShown | null = null;

  constructor() {
    super();
    const buttons = [this.#zoom, this.#earlier, this.#later, this.#names];
    shadow(this, shared, own).append(this.#rows, ...buttons);
    const change = (part: (state: FigureState, rows: RowsShown | null) => Partial<FigureState>) => () => {
      if (this.#state) emit(this, 'hf-toggle', part(this.#state, this.#shown));
    };
    this.#names.addEventListener(
      'click',
      change(({ names }) => ({ names: !names })),
    );
    this.#zoom.addEventListener(
      'click',
      change(({ from, row }, rows) => ({ from: from === null ? Math.max(0, (row ?? rows?.tokens ?? 0) - 32) : null })),
    );
    const page = (way: number) =>
      change((_, rows) => ({ from: rows ? Math.max(0, rows.first + way * (rows.last - rows.first)) : null }));
    this.#earlier.addEventListener('click', page(-1));
    this.#later.addEventListener('click', page(1));
  }

  /** `rows` is null where every token has a row of its own anyway. */
  show(state: FigureState, rows: RowsShown | null, words: Words): void {
    this.#state = state;
    this.#shown = rows;
    const press = (button: HTMLButtonElement, text: string, pressed: boolean): void => {
      button.textContent = text;
      button.setAttribute('aria-pressed', String(pressed));
    };
    press(this.#names, words.options.names, state.names);
    const single = rows !== null && rows.size === 1;
    this.#zoom.hidden = rows === null;
    this.#earlier.hidden = !single || rows.first === 0;
    this.#later.hidden = !single || rows.last === rows.tokens;
    this.#earlier.textContent = words.rows.earlier;
    this.#later.textContent = words.rows.later;
    this.#zoom.textContent = single ? words.rows.all : words.rows.zoom;
    if (rows === null) this.#rows.textContent = '';
    else if (single) this.#rows.textContent = words.rows.window(rows.first, rows.last - 1, rows.tokens);
    else this.#rows.textContent = words.rows.binned(rows.size, rows.tokens);
  }
}

define('hf-toggles', TogglesElement);
