// <hf-words>: paints the words with their weights. Events: hf-select ({row, cell}), hf-hover-row (row or null), hf-accept.
import { define, emit, h, shadow, sheet } from '../../ui/dom';
import { paint, place } from '../../ui/marks/paint';
import { percent, share } from '../../ui/numbers';
import { shared } from '../../ui/theme';
import { groupText, tokenCodes, tokenText } from '../../ui/tokens';
import {
  drawWords,
  holds,
  type WordPlace,
  type WordsData,
  type WordsDrawing,
  type WordsView,
  weightOn,
} from './drawing';

export interface WordsOptions extends Omit<WordsView, 'width'> {
  /** Lines in sight; what is beyond them scrolls. */
  readonly lines: number;
}

const own = sheet(`
  .window { position: relative; overflow-x: hidden; overflow-y: auto; scrollbar-width: thin; }
  .page { position: relative; }
  .page svg { position: absolute; inset: 0; overflow: visible; pointer-events: none; display: block; }
  .page text { font-variant-numeric: tabular-nums; }
  .word, .accept { position: absolute; cursor: pointer; }
  .word:hover, .accept:hover { box-shadow: inset 0 -2px var(--rule); }
  .word:focus-visible, .accept:focus-visible { outline-offset: -2px; }
`);

export class WordsElement extends HTMLElement {
  readonly #base = h('div');
  readonly #list = h('div', { role: 'listbox', 'aria-orientation': 'horizontal' });
  readonly #accept = h('button', { type: 'button', class: 'accept', hidden: true });
  readonly #page = h('div', { class: 'page' }, this.#base, this.#list, this.#accept);
  readonly #window = h('div', { class: 'window' }, this.#page);
  readonly #words: HTMLElement[] = [];
  #data: WordsData | null = null;
  #drawing: WordsDrawing | null = null;

  constructor() {
    super();
    shadow(this, shared, own).append(this.#window);
    this.#accept.addEventListener('click', () => this.#data?.next && emit(this, 'hf-accept', this.#data.next));
    this.#list.addEventListener('keydown', (event) => this.#key(event));
    this.#list.addEventListener('click', (event) => this.#choose(this.#at(event)));
    this.#list.addEventListener('pointerover', (event) => this.#hover(this.#at(event)));
    this.#list.addEventListener('pointerleave', () => this.#hover(null));
  }

  get drawing(): WordsDrawing | null {
    return this.#drawing;
  }

  show(data: WordsData, options: WordsOptions): void {
    const before = this.#data;
    const drawing = drawWords(data, { ...options, width: this.clientWidth });
    this.#data = data;
    this.#drawing = drawing;
    this.#window.style.setProperty('max-height', `${options.lines * drawing.lineHeight}px`);
    this.#page.style.setProperty('height', `${drawing.height}px`);
    this.#base.replaceChildren(...paint(drawing, options.palette));
    this.#list.setAttribute('aria-label', options.words.line.label);
    this.#list.setAttribute('aria-description', options.words.line.keys);
    this.#place(data, drawing, options);
    this.#placePrediction(data, drawing, options);
    if (before?.row !== data.row || before.tokens !== data.tokens) this.#reveal(drawing, data.row, options.lines);
  }

  /** Words keep their elements from drawing to drawing, and with them the focus. */
  #place(data: WordsData, { places }: WordsDrawing, { words }: WordsOptions): void {
    while (this.#words.length > places.length) this.#words.pop()?.remove();
    while (this.#words.length < places.length) {
      const made = h('div', { class: 'word', role: 'option' });
      this.#words.push(made);
      this.#list.append(made);
    }
    this.#words.forEach((element, index) => {
      const at = places[index];
      if (!at) return;
      const tokens = data.tokens.slice(...at.tokens);
      const weight = weightOn(data, at.tokens);
      const said =
        at.tokens[0] > data.row
          ? words.line.later
          : weight === null
            ? ''
            : words.line.weight(share(weight), tokens.length);
      const ids = tokens.map(({ id }) => id).join(' ');
      const codes = tokens.map(tokenCodes).join(' ');
      const selected = holds(at.tokens, data.row);
      element.title = words.line.token(groupText(tokens), at.tokens[0], ids, codes, said);
      element.setAttribute('aria-label', element.title);
      element.setAttribute('aria-selected', String(selected));
      element.tabIndex = selected ? 0 : -1;
      place(element, at.x, at.y, at.width, at.height);
    });
  }

  #placePrediction({ next }: WordsData, { prediction }: WordsDrawing, { words }: WordsOptions): void {
    this.#accept.hidden = !prediction;
    if (!prediction || !next) return;
    place(this.#accept, prediction.x, prediction.y, prediction.width, 28);
    this.#accept.title = words.line.accept(tokenText(next), percent(next.probability));
    this.#accept.setAttribute('aria-label', this.#accept.title);
  }

  /** Scrolls the window, and nothing else, until the selected word's line is in sight. */
  #reveal({ places, lineHeight }: WordsDrawing, row: number, lines: number): void {
    const at = places.find(({ tokens }) => holds(tokens, row));
    if (!at) return;
    const top = this.#window.scrollTop;
    if (at.y < top) this.#window.scrollTop = at.y;
    else if (at.y + lineHeight > top + lines * lineHeight) this.#window.scrollTop = at.y - (lines - 1) * lineHeight;
  }

  #at(event: Event): WordPlace | null {
    const index = this.#words.findIndex((word) => event.composedPath().includes(word));
    return this.#drawing?.places[index] ?? null;
  }

  #choose(at: WordPlace | null): void {
    if (at) emit(this, 'hf-select', { row: at.tokens[1] - 1, cell: null });
  }

  #hover(at: WordPlace | null): void {
    emit(this, 'hf-hover-row', at ? at.tokens[1] - 1 : null);
  }

  #key(event: KeyboardEvent): void {
    const places = this.#drawing?.places ?? [];
    const at = places.findIndex(({ tokens }) => this.#data && holds(tokens, this.#data.row));
    const last = places.length - 1;
    const moves: Readonly<Record<string, number>> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
    const to = moves[event.key];
    if (to === undefined) return;
    const index = Math.max(0, Math.min(last, to));
    this.#choose(places[index] ?? null);
    this.#words[index]?.focus({ preventScroll: true });
    event.preventDefault();
  }
}

define('hf-words', WordsElement);
