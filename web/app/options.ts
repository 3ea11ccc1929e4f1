// <hf-options>: the model, the theme, and the page as it is shown to a room.
import { define, emit, h, shadow, sheet } from '../ui/dom';
import { type ThemeChoice, themeChoices, type ViewState } from '../ui/state';
import { shared } from '../ui/theme';
import type { Words } from '../ui/words/words';

export interface ModelChoice {
  readonly id: string;
  readonly name: string;
}

const own = sheet(`
  :host { display: flex; flex-wrap: wrap; gap: 6px 20px; align-items: baseline; font-size: 14px; color: var(--ink-soft); }
  select { border: 0; border-bottom: 1px solid var(--rule); background: var(--paper); padding: 2px 2px 3px; max-width: 250px; field-sizing: content;
    color: var(--ink); border-radius: 0; }
  .present { font-size: inherit; }
  @media (max-width: 699px) { .present { display: none; } }
`);

const OWN_FILE = '\u0000file';

export class OptionsElement extends HTMLElement {
  readonly #models = h('select', { id: 'model' });
  readonly #label = h('label', { class: 'hidden', for: 'model' });
  readonly #theme = h('select');
  readonly #present = h('button', {
    type: 'button',
    class: 'quiet present',
    onclick: () => emit<Partial<ViewState>>(this, 'hf-option', { present: true }),
  });
  readonly #file = h('input', { type: 'file', accept: '.gguf', hidden: true });

  constructor() {
    super();
    shadow(this, shared, own).append(this.#label, this.#models, this.#theme, this.#present, this.#file);
    this.#theme.addEventListener('change', () =>
      emit<Partial<ViewState>>(this, 'hf-option', { theme: this.#theme.value as ThemeChoice }),
    );
    this.#models.addEventListener('change', () => this.#choose());
    this.#file.addEventListener('change', () => {
      const [file] = this.#file.files ?? [];
      if (file) emit(this, 'hf-file', file);
      this.#file.value = '';
    });
  }

  #choose(): void {
    if (this.#models.value === OWN_FILE) {
      this.#models.value = this.#models.dataset.chosen ?? '';
      this.#file.click();
    } else emit(this, 'hf-model', this.#models.value);
  }

  /** `facts` says what the open model is. */
  show(state: ViewState, models: readonly ModelChoice[], facts: string, words: Words): void {
    this.#label.textContent = words.model.label;
    this.#models.replaceChildren(
      ...models.map(({ id, name }) => h('option', { value: id }, name)),
      h('option', { value: OWN_FILE }, words.model.ownFile),
    );
    this.#models.value = state.model;
    this.#models.title = facts;
    this.#models.dataset.chosen = state.model;
    this.#theme.setAttribute('aria-label', words.options.themeLabel);
    if (this.#theme.childElementCount === 0) {
      this.#theme.append(...themeChoices.map((value) => h('option', { value }, words.options.theme[value])));
    }
    this.#theme.value = state.theme;
    this.#present.textContent = words.options.present;
    this.#present.title = words.options.presenting;
  }
}

define('hf-options', OptionsElement);
