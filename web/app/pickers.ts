// <hf-pickers>: which block and which head; every head is shown by a thumbnail of its real weights.

import type { Palette } from '../ui/colour/palette';
import { colourCells, sequentialScale } from '../ui/colour/scale';
import { define, emit, h, shadow, sheet } from '../ui/dom';
import { percent } from '../ui/numbers';
import { shared } from '../ui/theme';
import type { Words } from '../ui/words/words';
import type { HeadThumbnail } from '../views/flow/data';

const own = sheet(`
  :host { display: grid; gap: 10px; align-content: start; }
  .blocks { display: flex; gap: 14px; align-items: baseline; }
  .heads { display: flex; gap: 14px; align-items: flex-start; min-width: 0; }
  .label { flex: none; width: 40px; }
  .list { display: flex; min-width: 0; }
  .blocks .list { flex-wrap: wrap; gap: 2px 18px; }
  .heads .list { gap: 10px; overflow-x: auto; padding: 4px; margin: -4px; scrollbar-width: thin; }
  .blocks button { padding: 1px 1px 2px; font-variant-numeric: tabular-nums; color: var(--ink-soft);
    border-bottom: 2px solid transparent; }
  .blocks button.open { color: var(--ink-faint); border-bottom: 1px dashed var(--rule); }
  .computed { color: var(--ink-faint); font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .blocks button[aria-checked=true] { color: var(--ink); font-weight: 650; border-bottom-color: var(--ink); }
  .heads button { flex: none; display: grid; gap: 3px; justify-items: center; font-size: 12.5px; color: var(--ink-soft);
    font-variant-numeric: tabular-nums; line-height: 1.2; }
  .heads button[aria-checked=true] { color: var(--ink); font-weight: 650; }
  canvas, .empty { width: 44px; height: 44px; image-rendering: pixelated; display: block; outline: 1px solid var(--rule); }
  .empty { display: grid; place-items: center; outline-style: dashed; outline-offset: -1px; font-size: 12px; color: var(--ink-faint); }
  .stale canvas { opacity: 0.3; transition: opacity 0s 0.4s; }
  button:hover canvas { outline-color: var(--ink-faint); }
  button[aria-checked=true] canvas, button[aria-checked=true] .empty { outline: 2px solid var(--probability-mark);
    outline-offset: 1px; }
`);

export interface PickerState {
  readonly blocks: number;
  readonly heads: number;
  readonly block: number;
  readonly head: number;
  /** Blocks whose attention has been computed for this prompt. */
  readonly computed: number;
  readonly thumbnails: readonly HeadThumbnail[] | null;
  /** The thumbnails are of the prompt before: its successors are on their way. */
  readonly stale: boolean;
  readonly withoutFirstKey: boolean;
  readonly fitWeights: boolean;
}

function thumbnail(
  shown: HeadThumbnail,
  { withoutFirstKey, fitWeights }: PickerState,
  palette: Palette,
): HTMLCanvasElement {
  const { picture } = shown;
  const [rows, columns] = picture.shape;
  const canvas = h('canvas', { width: columns, height: rows });
  let limit = 1;
  if (withoutFirstKey)
    limit = picture.data.reduce((most, value, index) => (index % columns ? Math.max(most, value) : most), 0);
  if (fitWeights) limit = Math.min(limit || 1, picture.quantile99);
  const scale = sequentialScale('probability', limit || 1, picture.minimum, picture.maximum);
  const image = new ImageData(colourCells(picture.data, scale, palette), columns, rows);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
  return canvas;
}

/** Arrow keys move within a radio group. */
function moveBy(event: KeyboardEvent, at: number, count: number): number | null {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  return step === undefined ? null : (at + step + count) % count;
}

export class PickersElement extends HTMLElement {
  readonly #blockTitle = h('span', { class: 'label', id: 'blocks' });
  readonly #headTitle = h('span', { class: 'label' });
  readonly #blocks = h('div', { class: 'list', role: 'radiogroup', 'aria-labelledby': 'blocks' });
  readonly #heads = h('div', { class: 'list', role: 'radiogroup' });
  readonly #computed = h('span', { class: 'computed' });
  #state: PickerState | null = null;

  constructor() {
    super();
    shadow(this, shared, own).append(
      h('div', { class: 'blocks' }, this.#blockTitle, this.#blocks, this.#computed),
      h('div', { class: 'heads' }, this.#headTitle, this.#heads),
    );
    this.#listen(this.#blocks, 'hf-block', ({ block, blocks }) => [block, blocks]);
    this.#listen(this.#heads, 'hf-head', ({ head, heads }) => [head, heads]);
  }

  #listen(group: HTMLElement, type: string, position: (state: PickerState) => [number, number]): void {
    group.addEventListener('click', (event) => {
      const target = event.target instanceof Element ? event.target.closest('button') : null;
      if (target) emit(this, type, Number(target.dataset.index));
    });
    group.addEventListener('keydown', (event) => {
      const next = this.#state ? moveBy(event, ...position(this.#state)) : null;
      if (next === null) return;
      event.preventDefault();
      emit(this, type, next);
      group.querySelectorAll('button')[next]?.focus();
    });
  }

  show(state: PickerState, palette: Palette, words: Words): void {
    this.#state = state;
    this.#blockTitle.textContent = words.pickers.blocks;
    this.#headTitle.textContent = words.pickers.headsShort;
    this.#heads.setAttribute('aria-label', words.pickers.heads(state.block));
    const { computed, blocks } = state;
    this.#computed.textContent = computed < blocks ? words.pickers.computed(computed, blocks) : '';
    this.#fill(this.#blocks, blocks, state.block, (index, button) => {
      button.textContent = String(index);
      const open = index >= computed;
      button.classList.toggle('open', open);
      button.setAttribute('aria-label', words.pickers.block(index) + (open ? `, ${words.pickers.notComputed}` : ''));
    });
    this.#heads.classList.toggle('stale', state.stale);
    this.#fill(this.#heads, state.heads, state.head, (index, button) => {
      const shown = state.thumbnails?.[index];
      const picture = shown ? thumbnail(shown, state, palette) : h('span', { class: 'empty' }, words.pickers.notYet);
      button.replaceChildren(picture, String(index));
      const statistics = state.stale ? null : shown?.statistics; // They are said to be of this prompt.
      const summary = statistics
        ? words.pickers.headSummary(
            index,
            percent(statistics.firstToken),
            percent(statistics.previousToken),
            percent(statistics.self),
          )
        : words.pickers.head(index);
      button.setAttribute('aria-label', summary);
      button.title = summary;
    });
  }

  #fill(
    group: HTMLElement,
    count: number,
    at: number,
    dress: (index: number, button: HTMLButtonElement) => void,
  ): void {
    while (group.childElementCount > count) group.lastElementChild?.remove();
    for (let index = 0; index < count; index++) {
      let button = group.querySelectorAll('button')[index];
      if (!button) {
        button = h('button', { type: 'button', role: 'radio', 'data-index': index });
        group.append(button);
      }
      button.setAttribute('aria-checked', String(index === at));
      button.tabIndex = index === at ? 0 : -1;
      dress(index, button);
    }
  }
}

define('hf-pickers', PickersElement);
