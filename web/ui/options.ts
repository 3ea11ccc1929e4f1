// <hf-options>: the model, and how the figure is to be shown.
import { define, emit, h, shadow, sheet } from './dom';
import { type ThemeChoice, themeChoices, type ViewState } from './state';
import { shared } from './theme';
import type { Words } from './words/words';

export interface ModelChoice {
  readonly id: string;
  readonly name: string;
}

const own = sheet(`
  :host { display: flex; flex-wrap: wrap; gap: 6px 24px; align-items: baseline; font-size: 14px; color: var(--ink-soft); }
  select { border: 0; border-bottom: 1px solid var(--rule); background: var(--paper); padding: 2px 2px 3px; max-width: 230px;
    color: var(--ink); border-radius: 0; }
  button { color: var(--ink-soft); border-bottom: 1px solid var(--rule); padding-bottom: 2px; }
  button:hover { color: var(--ink); border-bottom-color: var(--ink); }
  button[aria-pressed=true] { color: var(--ink); border-bottom: 2px solid var(--ink); padding-bottom: 1px; }
`);

const OWN_FILE = '\u0000file';

export class OptionsElement extends HTMLElement {
  readonly #models = h('select', { id: 'model' });
  readonly #label = h('label', { class: 'hidden', for: 'model' });
  readonly #names = h('button', { type: 'button' });
  readonly #firstKey = h('button', { type: 'button' });
  readonly #theme = h('select');
  readonly #file = h('input', { type: 'file', accept: '.gguf', hidden: true });

  constructor() {
    super();
    shadow(this, shared, own).append(this.#label, this.#models, this.#names, this.#firstKey, this.#theme, this.#file);
    this.#names.addEventListener('click', () => this.#change({ names: this.#names.ariaPressed !== 'true' }));
    this.#firstKey.addEventListener('click', () =>
      this.#change({ withoutFirstKey: this.#firstKey.ariaPressed !== 'true' }),
    );
    this.#theme.addEventListener('change', () => this.#change({ theme: this.#theme.value as ThemeChoice }));
    this.#models.addEventListener('change', () => this.#choose());
    this.#file.addEventListener('change', () => {
      const [file] = this.#file.files ?? [];
      if (file) emit(this, 'hf-file', file);
      this.#file.value = '';
    });
  }

  #change(part: Partial<ViewState>): void {
    emit(this, 'hf-option', part);
  }

  #choose(): void {
    if (this.#models.value !== OWN_FILE) return emit(this, 'hf-model', this.#models.value);
    this.#models.value = this.#models.dataset['chosen'] ?? '';
    this.#file.click();
  }

  show(state: ViewState, models: readonly ModelChoice[], words: Words): void {
    this.#label.textContent = words.model.label;
    this.#models.replaceChildren(
      ...models.map(({ id, name }) => h('option', { value: id }, name)),
      h('option', { value: OWN_FILE }, words.model.ownFile),
    );
    this.#models.value = state.model;
    this.#models.dataset['chosen'] = state.model;
    this.#names.textContent = words.options.names;
    this.#names.ariaPressed = String(state.names);
    this.#firstKey.textContent = words.options.withoutFirstKey;
    this.#firstKey.ariaPressed = String(state.withoutFirstKey);
    this.#theme.setAttribute('aria-label', words.options.themeLabel);
    if (this.#theme.childElementCount === 0) {
      this.#theme.append(...themeChoices.map((value) => h('option', { value }, words.options.theme[value])));
    }
    this.#theme.value = state.theme;
  }
}

define('hf-options', OptionsElement);
