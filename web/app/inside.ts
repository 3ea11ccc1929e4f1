// <hf-inside>: what is behind the figure, below it: one panel at a time, each loaded when it is first opened.

import { define, emit, h, shadow, sheet } from '../ui/dom';
import { type InsideId, insideIds, type ViewState } from '../ui/state';
import { shared } from '../ui/theme';
import type { Words } from '../ui/words/words';
import type { InsideView, Panel } from '../views/inside/panel';

const panels: Readonly<Record<InsideId, () => Promise<{ create: () => Panel }>>> = {
  shapes: () => import('../views/shapes/element'),
  log: () => import('../views/log/element'),
  checks: () => import('../views/checks/element'),
  model: () => import('../views/loading/element'),
};

const own = sheet(`
  :host { padding-bottom: 32px; }
  .tabs { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; border-top: 1px solid var(--rule);
    padding: 12px 0 18px; font-size: 15px; color: var(--ink-soft); }
  .tabs button { padding-bottom: 1px; border-bottom: 1px solid var(--rule); }
  .tabs button:hover { color: var(--ink); border-bottom-color: var(--ink); }
  .tabs button[aria-expanded=true] { color: var(--ink); box-shadow: 0 1px 0 var(--ink); border-bottom-color: var(--ink); }
  .panel:empty { display: none; }
  .said { color: var(--ink-soft); margin: 0; }
  .said:empty { display: none; }
`);

export class InsideElement extends HTMLElement {
  readonly #tabs = h('div', { class: 'tabs', role: 'group' });
  readonly #said = h('p', { class: 'said', role: 'status' });
  readonly #panel = h('div', { class: 'panel', id: 'panel' });
  readonly #made = new Map<InsideId, Panel>();
  #open: InsideId | null = null;
  /** The reader has asked for a panel, which is not yet in sight. */
  #pressed = false;
  /** What is being loaded, or failed to be. */
  #asked: InsideId | null = null;
  #view: InsideView | null = null;
  #words: Words | null = null;

  constructor() {
    super();
    shadow(this, shared, own).append(this.#tabs, this.#said, this.#panel);
    this.#tabs.append(...insideIds.map((id) => this.#tab(id)));
  }

  #tab(id: InsideId): HTMLElement {
    const press = () => {
      this.#pressed = true;
      emit<Partial<ViewState>>(this, 'hf-option', { inside: this.#open === id ? null : id });
    };
    return h('button', { type: 'button', 'data-id': id, 'aria-controls': 'panel', onclick: press });
  }

  /** `view` is null while there is nothing to show. */
  show(open: InsideId | null, view: InsideView | null, words: Words): void {
    if (open !== this.#open) this.#close();
    this.#open = open;
    this.#view = view;
    this.#words = words;
    this.hidden = view === null;
    this.#tabs.setAttribute('aria-label', words.inside.label);
    for (const button of this.#tabs.querySelectorAll('button')) {
      const id = insideIds.find((one) => one === button.dataset.id);
      button.textContent = id ? words.inside.tabs[id] : '';
      button.setAttribute('aria-expanded', String(id === open));
    }
    if (!view || open === null) return;
    const panel = this.#made.get(open);
    if (panel) this.#put(panel, view);
    else if (this.#asked !== open) void this.#load(open, words);
  }

  #close(): void {
    this.#asked = null;
    this.#said.textContent = '';
    this.#panel.replaceChildren();
  }

  #put(panel: Panel, view: InsideView): void {
    if (!panel.isConnected) this.#panel.replaceChildren(panel);
    panel.show(view);
    if (this.#pressed) this.scrollIntoView();
    this.#pressed = false;
  }

  async #load(id: InsideId, words: Words): Promise<void> {
    this.#asked = id;
    this.#said.textContent = words.inside.loading;
    try {
      const { create } = await panels[id]();
      this.#made.set(id, create());
      if (this.#open !== id) return;
      this.#said.textContent = '';
      if (this.#words) this.show(id, this.#view, this.#words);
    } catch {
      if (this.#open === id) this.#said.textContent = words.inside.failed;
    }
  }
}

define('hf-inside', InsideElement);
