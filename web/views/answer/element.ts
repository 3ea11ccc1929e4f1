// <hf-answer>: the likeliest next tokens, over the full vocabulary; choosing one appends it to the prompt.
import type { NextToken } from '../../engine/api';
import { define, emit, h, shadow, sheet } from '../../ui/dom';
import { percent } from '../../ui/numbers';
import { shared } from '../../ui/theme';
import { tokenPlain, tokenText } from '../../ui/tokens';
import type { Words } from '../../ui/words/words';

const own = sheet(`
  :host { max-width: 420px; }
  h2 { font: 600 21px/1.2 var(--serif); margin: 0; }
  .after { color: var(--ink-soft); font: italic 17px/1.3 var(--serif); margin: 2px 0 12px; min-height: 1.3em; }
  ol { list-style: none; margin: 0; padding: 0; }
  .blank { height: 27px; visibility: hidden; }
  li button:not(.quiet) { display: grid; grid-template-columns: minmax(76px, 1fr) minmax(16px, 96px) 52px; gap: 12px; width: 100%; align-items: center;
    padding: 3px 0; font-size: 15px; }
  li button:not(.quiet):hover .token { text-decoration: underline; text-underline-offset: 3px; }
  :host(:not(.all)) li:nth-child(n + 7) { display: none; }
  :host(.all) .more { display: none; }
  .more { font-size: 14px; margin-top: 4px; }
  li button[aria-disabled] { cursor: default; }
  .token { overflow: hidden; text-overflow: ellipsis; white-space: pre; }
  .bar { height: 6px; width: 100%; display: block; }
  .bar rect { fill: var(--probability-mark); }
  .bar line { stroke: var(--rule); }
  .bar path { stroke: var(--ink); stroke-width: 1.5; }
  :host(.compared) li button:not(.quiet) { grid-template-columns: minmax(40px, 1fr) minmax(12px, 64px) 104px; }
  .share { text-align: right; font-variant-numeric: tabular-nums; color: var(--ink-soft); }
  .note { color: var(--ink-faint); font-size: 13px; margin: 8px 0 0; max-width: 38em;
    min-height: 2.8em; }
  @media (max-width: 1179px) and (min-width: 900px), (max-width: 699px) { :host(:not(.all)) li:nth-child(n + 5) { display: none; } }
`);

/** How many tokens the list holds: room is kept for them while they are being computed. */
const LENGTH = 10;

const SVG = 'http://www.w3.org/2000/svg';

/** The full width of the bar is probability 1. */
function bar(probability: number, was: number | null): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'bar');
  svg.setAttribute('viewBox', '0 0 96 6');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(SVG, 'line');
  for (const [name, value] of Object.entries({ x1: 0, x2: 96, y1: 3, y2: 3 })) line.setAttribute(name, String(value));
  const rect = document.createElementNS(SVG, 'rect');
  for (const [name, value] of Object.entries({ x: 0, y: 0, height: 6, width: 96 * probability })) {
    rect.setAttribute(name, String(value));
  }
  svg.append(line, rect);
  if (was !== null) {
    const tick = document.createElementNS(SVG, 'path');
    tick.setAttribute('d', `M${96 * was} 0v6`);
    svg.append(tick);
  }
  return svg;
}

interface Listed {
  readonly token: NextToken;
  /** Its probability with all heads on; null where nothing is compared. */
  readonly was: number | null;
}

/** The likeliest now, and first of all the token that was likeliest with all heads on. */
function listed(next: readonly NextToken[], before: readonly NextToken[] | null): Listed[] {
  if (!before) return next.slice(0, LENGTH).map((token) => ({ token, was: null }));
  const was = new Map(before.map(({ id, probability }) => [id, probability]));
  const [first] = before;
  const now = next.find(({ id }) => id === first?.id);
  const rest = next.filter(({ id }) => id !== first?.id).slice(0, now ? LENGTH - 1 : LENGTH);
  return [...(now ? [now] : []), ...rest].map((token) => ({ token, was: was.get(token.id) ?? 0 }));
}

/** The likeliest tokens after the last token that was used, of all of the prompt. */
export interface Answer {
  readonly next: readonly NextToken[];
  /** The likeliest with all heads on, where some are off; else null. */
  readonly before: readonly NextToken[] | null;
  readonly last: string;
  readonly used: number;
  readonly tokens: number;
  readonly vocabulary: number;
}

export class AnswerElement extends HTMLElement {
  readonly #title = h('h2');
  readonly #after = h('p', { class: 'after' });
  /** Holds the focus while what had it is computed anew. */
  readonly #list = h('ol', { tabindex: -1 });
  readonly #spoken = h('p', { class: 'hidden', role: 'status' });
  readonly #more = h('button', { type: 'button', class: 'quiet more', hidden: true });
  readonly #note = h('p', { class: 'note' });

  constructor() {
    super();
    shadow(this, shared, own).append(this.#title, this.#after, this.#list, this.#more, this.#note, this.#spoken);
    this.#more.addEventListener('click', () => this.classList.add('all'));
  }

  /** Not computed: the rest of the model is not loaded, and loading it is the reader's choice. */
  ask(size: string, host: string | null, words: Words): void {
    this.#title.textContent = words.answer.title;
    this.#more.hidden = true;
    this.#after.textContent = words.answer.needs(size, host);
    const load = h('button', { type: 'button', class: 'quiet' }, words.answer.load(size));
    load.addEventListener('click', () => emit(this, 'hf-load-answer', null));
    this.#list.replaceChildren(h('li', {}, load));
    this.#note.textContent = '';
  }

  /** Nothing can be appended to a prompt that is longer than the context. */
  show(answer: Answer | 'computing' | 'idle', words: Words): void {
    this.#title.textContent = words.answer.title;
    this.#more.textContent = words.answer.more;
    this.#more.hidden = typeof answer === 'string';
    if (typeof answer === 'string') {
      this.#after.textContent = words.answer[answer];
      this.#note.textContent = '';
      this.#fill(Array.from({ length: LENGTH }, () => h('li', { class: 'blank' })));
      return;
    }
    const { next, before, last, used, tokens, vocabulary } = answer;
    const cut = used < tokens;
    const total = vocabulary.toLocaleString(words.language);
    this.#after.textContent = cut ? words.answer.afterCut(last, used, tokens) : words.answer.after(last);
    this.#note.textContent = cut ? words.answer.noteCut(total) : words.answer.note(total);
    this.classList.toggle('compared', before !== null);
    this.#fill(
      listed(next, before).map(({ token, was }) => {
        const text = tokenText(token);
        const share = percent(token.probability);
        const plain = tokenPlain(token);
        const button = h(
          'button',
          {
            type: 'button',
            'aria-label':
              plain === '' ? `${text}, ${share}. ${words.answer.partial}` : words.answer.append(text, share),
            disabled: cut,
            'aria-disabled': plain === '' ? 'true' : null,
            title: plain === '' ? words.answer.partial : null,
          },
          h('span', { class: 'token' }, text),
          bar(token.probability, was),
          h('span', { class: 'share' }, was === null ? share : `${percent(was)} → ${share}`),
        );
        if (plain !== '') button.addEventListener('click', () => emit(this, 'hf-append', plain));
        return h('li', {}, button);
      }),
    );
    const [first] = next;
    if (first)
      this.#say(
        `${this.#title.textContent} ${this.#after.textContent}: ${tokenText(first)}, ${percent(first.probability)}`,
      );
  }

  #say(text: string): void {
    if (this.#spoken.textContent !== text) this.#spoken.textContent = text;
  }

  /** Whoever has chosen one with the keyboard goes on among the new ones. */
  #fill(items: readonly HTMLElement[]): void {
    const list = this.#list;
    const at = [...list.children].findIndex((item) => item.matches(':focus-within'));
    if (at >= 0) list.focus();
    list.replaceChildren(...items);
    if (this.shadowRoot?.activeElement === list) list.children[Math.max(0, at)]?.querySelector('button')?.focus();
  }
}

define('hf-answer', AnswerElement);
