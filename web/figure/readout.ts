// <hf-readout>: the exact value of the cell that is pointed at, beside the pointer.

import { define, h, shadow, sheet } from '../ui/dom';
import { mathDocument } from '../ui/marks/paint';
import { exact } from '../ui/numbers';
import { shared } from '../ui/theme';
import type { Words } from '../ui/words/words';
import type { CellReading } from '../views/flow/reading';

const own = sheet(`
  :host { position: absolute; z-index: 3; pointer-events: none; max-width: min(520px, 100%); background: var(--paper);
    border: 1px solid var(--rule); }
  .line { display: flex; flex-wrap: wrap; gap: 0 14px; align-items: baseline; padding: 2px 9px; font-size: 14px; }
  math { font-size: 16px; }
  .value { font-size: 16px; font-weight: 600; font-variant-numeric: tabular-nums; min-width: 5.5em; }
  .where, .note, .exact { color: var(--ink-soft); }
  .where, .exact { white-space: pre; }
  .exact { font-variant-numeric: tabular-nums; font-size: 13.5px; }
`);

export class ReadoutElement extends HTMLElement {
  readonly #line = h('div', { class: 'line' });
  readonly #spoken = h('div', { class: 'hidden', 'aria-live': 'polite' });

  constructor() {
    super();
    shadow(this, shared, own).append(this.#line, this.#spoken);
  }

  /** Below the pointer, which is there in the window, and within the figure. */
  place(x: number, y: number, figure: HTMLElement): void {
    const frame = figure.getBoundingClientRect();
    const left = Math.max(0, Math.min(frame.width - this.offsetWidth, x - frame.left + 14));
    this.style.setProperty('left', `${left}px`);
    this.style.setProperty('top', `${y - frame.top + 22}px`);
  }

  /** `elements`: the exact values behind a pooled cell, once they are there. */
  show(reading: CellReading | null, elements: Float32Array | null, words: Words): void {
    this.hidden = reading === null;
    if (!reading) {
      this.#line.replaceChildren();
      this.#spoken.textContent = '';
      return;
    }
    const parts: HTMLElement[] = [
      h('span', {}, mathDocument(reading.symbol)),
      h('span', { class: 'value' }, reading.value),
      ...reading.coordinates.map((text) => h('span', { class: 'where' }, text)),
    ];
    if (reading.note) parts.push(h('span', { class: 'note' }, reading.note));
    if (elements) {
      const shown = Array.from(elements.subarray(0, 8), exact).join('   ');
      const more = elements.length > 8 ? ' …' : '';
      parts.push(h('span', { class: 'exact' }, `${words.readout.exact}: ${shown}${more}`));
    }
    this.#line.replaceChildren(...parts);
    this.#spoken.textContent = reading.spoken;
  }
}

define('hf-readout', ReadoutElement);
