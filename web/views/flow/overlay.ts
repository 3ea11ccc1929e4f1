// What lies over the painted figure to be reached: a focusable element per tensor, the deck's cards, the token labels.
import { h } from '../../ui/dom';
import { plain } from '../../ui/marks/math';
import { place } from '../../ui/marks/paint';
import type { StageId } from '../../ui/state';
import type { Words } from '../../ui/words/words';
import type { FlowData } from './data';
import type { FlowDrawing } from './drawing';
import { rowLabel } from './labels';
import { DECK_GAP, type StageBox } from './layout';
import { sentenceRuns } from './sentence';
import { stageSymbol } from './stages';

export interface TensorListeners {
  key(stage: StageId, event: KeyboardEvent): void;
  focus(stage: StageId): void;
  blur(): void;
}

/** Cards and labels serve the pointer only: the pickers and the prompt's tokens do the same for the keyboard. */
function target(kind: 'card' | 'token', data: Readonly<Record<string, number>>, title: string): HTMLElement {
  const attributes = Object.fromEntries(Object.entries(data).map(([name, value]) => [`data-${name}`, value]));
  return h('div', { class: kind, title, 'aria-hidden': 'true', ...attributes });
}

function cards(box: StageBox, data: FlowData, words: Words): HTMLElement[] {
  const { heads } = data.shape;
  if (box.deck === 0) return [];
  const step = (box.deck - DECK_GAP) / (heads - 1);
  const others = Array.from({ length: heads }, (_, head) => head).filter((head) => head !== data.head);
  return others.map((head, index) => {
    const card = target('card', { head }, words.pickers.head(head));
    place(card, box.x + box.width + DECK_GAP + index * step, box.y, step, box.height);
    return card;
  });
}

function tokens({ layout }: FlowDrawing, data: FlowData): HTMLElement[] {
  const { rowHeight, labelRight } = layout;
  return layout.lines.flatMap((line) =>
    Array.from({ length: layout.rowBins }, (_, row) => {
      const label = target('token', { row }, rowLabel(data, row));
      place(label, 0, line.rowsTop + row * rowHeight, labelRight + 6, rowHeight);
      return label;
    }),
  );
}

export class Overlay {
  readonly element = h('div');
  readonly #spoken = h('div', { class: 'hidden' });
  readonly #tensors = new Map<StageId, HTMLElement>();
  readonly #listeners: TensorListeners;

  constructor(listeners: TensorListeners) {
    this.#listeners = listeners;
    this.element.append(this.#spoken);
  }

  /** Tensors keep their elements from drawing to drawing, and with them the focus. */
  update(drawing: FlowDrawing, data: FlowData, words: Words): void {
    this.#speak(data, words);
    for (const old of this.element.querySelectorAll('.card, .token')) old.remove();
    for (const box of drawing.tensors) {
      const element = this.#tensor(box.id);
      const symbol = plain(stageSymbol(box.id, data.block, data.head));
      element.setAttribute('aria-roledescription', words.tensor.role);
      element.setAttribute('aria-label', words.tensor.label(words.stages[box.id], symbol, box.rows, box.columns));
      element.setAttribute('aria-description', words.tensor.keys);
      place(element, box.x, box.y, box.width, box.height);
      this.element.append(...cards(box, data, words));
    }
    this.element.append(...tokens(drawing, data));
  }

  focus(stage: StageId): void {
    this.#tensors.get(stage)?.focus({ preventScroll: true });
  }

  /** The figure's words for those who do not see them: the painted ones are no text to a screen reader. */
  #speak(data: FlowData, words: Words): void {
    const said = [words.bands.read, words.bands.combine].map(({ title, question }) =>
      h('h2', {}, `${title}. ${question(`${data.block}.${data.head}`, data.shape.heads)}`),
    );
    const sentence = sentenceRuns(data, words).map(({ text }) => text);
    this.#spoken.replaceChildren(...said, h('p', {}, sentence.join('')));
  }

  #tensor(id: StageId): HTMLElement {
    const known = this.#tensors.get(id);
    if (known) return known;
    const element = h('div', { class: 'tensor', role: 'application', tabindex: 0, 'data-stage': id });
    element.addEventListener('keydown', (event) => this.#listeners.key(id, event));
    element.addEventListener('focus', () => this.#listeners.focus(id));
    element.addEventListener('blur', () => this.#listeners.blur());
    this.#tensors.set(id, element);
    this.element.append(element);
    return element;
  }
}
