// <hf-prompt>: the text and the tokens it is made of.
import type { Token } from '../engine/api';
import { define, emit, h, shadow, sheet } from './dom';
import { edited, withFieldBreaks } from './line-breaks';
import { shared } from './theme';
import { tokenText } from './tokens';
import type { Words } from './words/words';

const own = sheet(`
  textarea { display: block; width: 100%; border: 0; border-bottom: 1px solid var(--ink-faint); background: none;
    padding: 0 0 6px; font: 400 23px/1.3 var(--serif); resize: none; field-sizing: content; max-height: 5.4em;
    overflow-y: auto; border-radius: 0; }
  textarea:focus { outline: 0; border-bottom-color: var(--ink); box-shadow: 0 1px 0 var(--ink); }
  textarea::placeholder { color: var(--ink-faint); font-style: italic; }
  .tokens { display: flex; flex-wrap: wrap; align-items: baseline; padding: 0; margin: 9px 0 0; list-style: none;
    line-height: 22px; max-height: 66px; overflow-y: auto; scrollbar-width: thin; }
  .tokens button { padding: 0 7px; border-left: 1px solid var(--rule); font-size: 15px; line-height: 19px;
    color: var(--ink-soft); white-space: pre; }
  .tokens button:hover { color: var(--ink); }
  .tokens button[aria-pressed=true] { color: var(--ink); font-weight: 650; }
  .tokens .label { padding-right: 9px; }
  .note { color: var(--ink-soft); font-size: 14px; margin: 6px 0 0; }
  .note:empty { display: none; }
  @media (max-width: 860px) { textarea { font-size: 20px; } .tokens { max-height: 44px; } }
`);

/** At most this many tokens are listed one by one; the figure shows them all. */
const LISTED = 400;

export class PromptElement extends HTMLElement {
  readonly #label = h('label', { class: 'label', for: 'prompt' });
  readonly #field = h('textarea', {
    id: 'prompt',
    rows: 1,
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
  });
  readonly #count = h('li', { class: 'label' });
  readonly #list = h('ol', { class: 'tokens' });
  readonly #note = h('p', { class: 'note', role: 'status' });
  #shown = '';
  /** With the line breaks that it came with: the field knows only its own. */
  #text = '';

  constructor() {
    super();
    this.#field.addEventListener('input', () => {
      this.#grow();
      this.#text = edited(this.#text, this.#field.value);
      emit(this, 'hf-prompt', this.#text);
    });
    this.#list.addEventListener('click', (event) => {
      const [target] = event.composedPath();
      const row = target instanceof HTMLElement ? target.getAttribute('data-row') : null;
      if (row !== null) emit(this, 'hf-select', { row: Number(row), cell: null });
    });
    const root = shadow(this, shared, own);
    root.append(this.#label, this.#field, this.#list, this.#note);
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

  showTokens(tokens: readonly Token[], used: number, row: number, words: Words): void {
    this.#count.textContent = words.prompt.tokens(tokens.length);
    this.#note.textContent = tokens.length > used ? words.prompt.unused(tokens.length - used, used) : '';
    const listed = tokens.slice(0, Math.min(used, LISTED));
    const key = listed.map(({ id }) => id).join();
    if (key !== this.#shown || this.#list.childElementCount !== listed.length + 1) {
      this.#shown = key;
      const items = listed.map((token, index) =>
        h(
          'li',
          {},
          h('button', { type: 'button', 'data-row': index, title: `${index}: id ${token.id}` }, tokenText(token)),
        ),
      );
      this.#list.replaceChildren(this.#count, ...items);
    }
    this.#list.querySelectorAll('button').forEach((button, index) => {
      button.setAttribute('aria-pressed', String(index === row));
    });
  }
}

define('hf-prompt', PromptElement);
