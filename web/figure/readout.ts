// <hf-readout>: one line at the foot of the window with the exact value of the cell that is pointed at.

import { define, h, shadow, sheet } from '../ui/dom';
import { mathDocument } from '../ui/marks/paint';
import { exact } from '../ui/numbers';
import { shared } from '../ui/theme';
import type { Words } from '../ui/words/words';
import type { CellReading } from '../views/flow/reading';

const own = sheet(`
  :host { flex: 1 1 auto; }
  .line { display: flex; flex-wrap: wrap; gap: 2px 24px; align-items: baseline; min-height: 42px; padding: 9px 0;
    font-size: 14.5px; }
  math { font-size: 18px; }
  .value { font-size: 17px; font-weight: 600; font-variant-numeric: tabular-nums; min-width: 5.5em; }
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

  /** `elements`: the exact values behind a pooled cell, once they are there. */
  show(reading: CellReading | null, elements: Float32Array | null, words: Words): void {
    if (!reading) {
      this.#line.replaceChildren(h('span', { class: 'label' }, words.readout.hint));
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
