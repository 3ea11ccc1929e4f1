// <hf-kept>: which models are kept on this device for the next visit, how much of each, and deleting them.
import { deleteAllKept, deleteKept, type KeptModel, listKept } from '../../engine/cache/list';
import { define, h, shadow, sheet } from '../../ui/dom';
import { bytes } from '../../ui/numbers';
import { shared } from '../../ui/theme';
import { enKept } from '../../ui/words/en-kept';

const words = enKept;

const own = sheet(`
  h3 { font: 600 17px/1.3 var(--serif); margin: 0 0 4px; }
  p { margin: 0 0 10px; color: var(--ink-soft); max-width: 75ch; }
  p:empty { display: none; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; margin-bottom: 10px; }
  th { font-weight: 400; font-size: 13px; color: var(--ink-faint); text-align: left; }
  th, td { padding: 3px 24px 3px 0; white-space: nowrap; }
  td { color: var(--ink-soft); }
  td:first-child { color: var(--ink); }
  [hidden] { display: none; }
`);

/** Milliseconds between two looks at what is kept. */
const REFRESH = 2000;

export class KeptElement extends HTMLElement {
  readonly #said = h('p', { role: 'status' });
  readonly #failed = h('p', { role: 'alert' });
  readonly #rows = h('tbody');
  readonly #table: HTMLElement;
  readonly #all: HTMLButtonElement;
  #shown = '';
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    const { name, host, kept, used } = words.columns;
    const heads = [name, host, kept, used].map((title) => h('th', { scope: 'col' }, title));
    this.#table = h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, ...heads)), this.#rows));
    const deleteAll = () => void this.#delete(deleteAllKept);
    this.#all = h('button', { type: 'button', class: 'quiet all', onclick: deleteAll }, words.deleteAll);
    shadow(this, shared, own).append(h('h3', {}, words.title), this.#said, this.#failed, this.#table, this.#all);
  }

  connectedCallback(): void {
    this.#timer ??= setInterval(() => this.checkVisibility() && void this.show(), REFRESH);
    void this.show();
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Looks at what is kept now. */
  async show(): Promise<void> {
    const models = await listKept();
    const shown = JSON.stringify(models);
    if (shown === this.#shown) return; // A button that has the focus stays.
    this.#shown = shown;
    const kept = models.reduce((sum, model) => sum + model.kept, 0);
    this.#said.textContent = models.length === 0 ? words.none : words.total(models.length, bytes(kept));
    this.#rows.replaceChildren(...models.map((model) => this.#row(model)));
    this.#table.hidden = models.length === 0;
    this.#all.hidden = models.length < 2;
  }

  #row(model: KeptModel): HTMLElement {
    const { host, pathname } = new URL(model.url);
    const name = pathname.slice(pathname.lastIndexOf('/') + 1) || host;
    const size = bytes(model.size);
    const part = model.kept < model.size ? words.part(bytes(model.kept), size) : size;
    const day = model.used.toLocaleDateString(words.language, { dateStyle: 'medium' });
    const label = { type: 'button', class: 'quiet', 'aria-label': words.deleteOne(name) };
    const button = h('button', { ...label, onclick: () => void this.#delete(() => deleteKept(model)) }, words.delete);
    const cells = [h('td', { title: model.url }, name), ...[host, part, day].map((text) => h('td', {}, text))];
    return h('tr', {}, ...cells, h('td', {}, button));
  }

  async #delete(act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.#failed.textContent = '';
    } catch (error) {
      this.#failed.textContent = words.failed(String(error).replace(/\.$/, ''));
    }
    await this.show();
  }
}

define('hf-kept', KeptElement);
