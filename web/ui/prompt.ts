// <hf-prompt>: the text, how many tokens it has, and steps: the likeliest token appended, and taken back.
import type { Token } from '../engine/api';
import { define, emit, h, shadow, sheet } from './dom';
import { edited, withFieldBreaks } from './line-breaks';
import { shared } from './theme';
import { tokenPlain, tokenText } from './tokens';
import type { Words } from './words/words';

const own = sheet(`
  :host { display: grid; grid-template-columns: auto minmax(0, 1fr) auto auto; gap: 0 14px; align-items: baseline; }
  /* Two lines at most; the rule stands below them and not in a padding, where a third line would show. */
  textarea { display: block; width: 100%; border: 0; background: none; padding: 0; margin-bottom: 6px;
    font: 400 23px/1.3 var(--serif); resize: none; field-sizing: content; max-height: 2.6em; overflow-y: auto;
    border-radius: 0; box-shadow: 0 5px 0 var(--paper), 0 6px 0 var(--ink-faint); }
  textarea:focus { outline: 0; box-shadow: 0 5px 0 var(--paper), 0 7px 0 var(--ink); }
  @media (forced-colors: active) { textarea { border-bottom: 1px solid; } }
  textarea::placeholder { color: var(--ink-faint); font-style: italic; }
  .count { cursor: pointer; white-space: nowrap; } .count:hover { color: var(--ink); }
  .count[aria-pressed='true'] { box-shadow: 0 1px 0 var(--ink); color: var(--ink); }
  .steps { display: flex; gap: 14px; }
  .steps button { color: var(--ink-soft); font-size: 14px; }
  .steps button[aria-disabled='true'] { cursor: default; color: var(--ink-faint); }
  .note { color: var(--ink-soft); font-size: 14px; margin: 6px 0 0; grid-column: 1 / -1; }
  .note:empty { display: none; }
  @media (max-width: 699px) { :host { grid-template-columns: auto 1fr auto; }
    textarea { font-size: 20px; grid-area: 2 / 1 / auto / -1; } }
`);

/** Presses that come faster than predictions are kept, up to so many. */
const MOST_OWED = 20;

/** A button that is disabled would lose the keyboard's focus each time that an answer is waited for. */
const enable = (button: HTMLElement, enabled: boolean): void => button.setAttribute('aria-disabled', String(!enabled));

export class PromptElement extends HTMLElement {
  readonly #label = h('label', { class: 'label', for: 'prompt' });
  readonly #field = h('textarea', {
    id: 'prompt',
    rows: 1,
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
  });
  readonly #count = h('button', { type: 'button', class: 'label count', onclick: () => this.#toggleIds() });
  readonly #note = h('p', { class: 'note', role: 'status' });
  readonly #step = h('button', {
    type: 'button',
    'data-step': 'step',
    'aria-disabled': 'true',
    onclick: () => this.#accept(),
  });
  readonly #undo = h('button', {
    type: 'button',
    'data-step': 'undo',
    'aria-disabled': 'true',
    onclick: () => this.#takeBack(),
  });
  /** With the line breaks that it came with: the field knows only its own. */
  #text = '';
  /** What the text was before each of the steps that led to it, the first one first. */
  #before: string[] = [];
  /** What a step appends; empty where it is not known. */
  #next = '';
  /** After a step, while the next token is being computed; and how many steps more are asked for. */
  #stepping = false;
  #owed = 0;
  #words: Words | null = null;

  constructor() {
    super();
    this.#field.addEventListener('input', () => {
      this.#grow();
      this.#change(edited(this.#text, this.#field.value));
      this.#forget();
    });
    this.#field.addEventListener('keydown', (event) => this.#key(event));
    const root = shadow(this, shared, own);
    const steps = h('span', { class: 'steps' }, this.#step, this.#undo);
    root.append(this.#label, this.#field, this.#count, steps, this.#note);
  }

  set words(words: Words) {
    this.#label.textContent = words.prompt.label;
    this.#field.placeholder = words.prompt.hint;
    this.#words = words;
    this.#count.title = words.prompt.ids;
    this.#step.textContent = words.prompt.step;
    this.#undo.textContent = words.prompt.undo;
    this.#undo.title = words.prompt.undoing;
    this.likeliest = null;
  }

  /** Leaves the field alone while it already says so: the caret stays. */
  set value(text: string) {
    if (text !== this.#text) {
      // Appended elsewhere: a step like those made here.
      if (this.#text !== '' && text.startsWith(this.#text)) this.#before.push(this.#text);
      else this.#before = [];
      enable(this.#undo, this.#before.length > 0);
    }
    this.#text = text;
    const lines = withFieldBreaks(text);
    if (this.#field.value === lines) return;
    this.#field.value = lines;
    this.#grow();
  }

  /** What a step appends: the likeliest token after this text; null while it is not known. */
  set likeliest(token: Token | null) {
    this.#next = token ? tokenPlain(token) : '';
    enable(this.#step, this.#next !== '');
    this.#step.title = this.#words?.prompt.stepTo(token ? tokenText(token) : null) ?? '';
    if (token) this.#pay();
  }

  /** Whether the tokens' ids stand under the words. */
  set ids(ids: boolean) {
    this.#count.setAttribute('aria-pressed', String(ids));
  }

  #toggleIds(): void {
    emit(this, 'hf-option', { ids: this.#count.getAttribute('aria-pressed') !== 'true' });
  }

  #change(text: string): void {
    this.#text = text;
    this.likeliest = null;
    emit(this, 'hf-prompt', text);
  }

  #forget(): void {
    this.#stepping = false;
    this.#before = [];
    enable(this.#undo, false);
  }

  #accept(): void {
    if (this.#next === '') {
      if (this.#stepping) this.#owed = Math.min(this.#owed + 1, MOST_OWED);
      return;
    }
    if (!this.#stepping) this.#owed = 0;
    this.#stepping = true;
    this.value = this.#text + this.#next;
    this.#change(this.#text);
  }

  /** The next token is known: steps that were asked for meanwhile follow, once the page has shown it. */
  #pay(): void {
    const pays = this.#stepping && this.#owed > 0 && this.#next !== '';
    if (!pays) {
      this.#stepping = false;
      return;
    }
    this.#owed -= 1;
    queueMicrotask(() => this.#accept());
  }

  #takeBack(): void {
    const text = this.#before.at(-1);
    if (text === undefined) return;
    this.#stepping = false;
    const before = this.#before.slice(0, -1);
    this.value = text;
    this.#before = before;
    enable(this.#undo, before.length > 0);
    this.#change(text);
  }

  /** An arrow to the right at the end of the text steps, as completions elsewhere do; never while text is composed. */
  #key(event: KeyboardEvent): void {
    const { selectionStart, selectionEnd, value } = this.#field;
    const plain = !(event.shiftKey || event.ctrlKey || event.altKey || event.metaKey || event.isComposing);
    const atEnd = selectionStart === value.length && selectionEnd === value.length;
    if (event.key !== 'ArrowRight' || !plain || !atEnd || (this.#next === '' && !this.#stepping)) return;
    event.preventDefault();
    if (event.repeat && this.#next === '') return; // A key that is held steps as fast as predictions come.
    this.#accept();
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
