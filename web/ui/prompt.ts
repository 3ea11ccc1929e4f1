// <hf-prompt>: the text, and how many tokens it has.
import { define, emit, h, shadow, sheet } from './dom';
import { edited, withFieldBreaks } from './line-breaks';
import { shared } from './theme';
import type { Words } from './words/words';

const own = sheet(`
  :host { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 0 14px; align-items: baseline; }
  textarea { display: block; width: 100%; border: 0; border-bottom: 1px solid var(--ink-faint); background: none;
    padding: 0 0 5px; font: 400 23px/1.3 var(--serif); resize: none; field-sizing: content; max-height: 2.9em;
    overflow-y: auto; border-radius: 0; }
  textarea:focus { outline: 0; border-bottom-color: var(--ink); box-shadow: 0 1px 0 var(--ink); }
  textarea::placeholder { color: var(--ink-faint); font-style: italic; }
  .note { color: var(--ink-soft); font-size: 14px; margin: 6px 0 0; grid-column: 1 / -1; }
  .note:empty { display: none; }
  @media (max-width: 699px) { :host { grid-template-columns: auto 1fr; } .count { text-align: right; }
    textarea { font-size: 20px; grid-area: 2 / 1 / auto / -1; } }
`);

export class PromptElement extends HTMLElement {
  readonly #label = h('label', { class: 'label', for: 'prompt' });
  readonly #field = h('textarea', {
    id: 'prompt',
    rows: 1,
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
  });
  readonly #count = h('span', { class: 'label count' });
  readonly #note = h('p', { class: 'note', role: 'status' });
  /** With the line breaks that it came with: the field knows only its own. */
  #text = '';

  constructor() {
    super();
    this.#field.addEventListener('input', () => {
      this.#grow();
      this.#text = edited(this.#text, this.#field.value);
      emit(this, 'hf-prompt', this.#text);
    });
    const root = shadow(this, shared, own);
    root.append(this.#label, this.#field, this.#count, this.#note);
  }

  set words(words: Words) {
    this.#label.textContent = words.prompt.label;
    this.#field.placeholder = words.prompt.hint;
  }

  /** Leaves the field alone while it already says so: the caret stays. */
  set value(text: string) {
    this.#text = text;
    const lines = withFieldBreaks(text);
    if (this.#field.value === lines) return;
    this.#field.value = lines;
    this.#grow();
  }

  /** As tall as its text, where style sheets alone cannot do that. */
  #grow(): void {
    if (CSS.supports('field-sizing', 'content')) return;
    this.#field.style.setProperty('height', 'auto');
    this.#field.style.setProperty('height', `${this.#field.scrollHeight + 1}px`);
  }

  /** How many tokens the text has, and how many of them the context holds. */
  count(tokens: number, used: number, words: Words): void {
    this.#count.textContent = words.prompt.tokens(tokens);
    this.#note.textContent = tokens > used ? words.prompt.unused(tokens - used, used) : '';
  }
}

define('hf-prompt', PromptElement);
