// <hf-lighting>: what the bars of the map say of each head, as one line of choices. Event: hf-lighting ({lighting}).
import { define, emit, h, shadow, sheet } from '../ui/dom';
import { type Lighting, lightings } from '../ui/screen';
import { shared } from '../ui/theme';
import type { ScreenWords } from '../ui/words/screen';

const own = sheet(`
  :host { display: flex; flex-wrap: wrap; gap: 2px 14px; align-items: baseline; font-size: 14px; color: var(--ink-soft);
    margin-bottom: 8px; }
  button { border-bottom: 1px solid var(--rule); }
  button:hover { color: var(--ink); border-bottom-color: var(--ink); }
  button[aria-pressed='true'] { color: var(--ink); font-weight: 600; border-bottom: 2px solid var(--ink); }
`);

export class LightingElement extends HTMLElement {
  readonly #label = h('span', { class: 'label' });
  readonly #buttons = new Map<Lighting, HTMLButtonElement>();
  #chosen: Lighting = 'none';

  constructor() {
    super();
    for (const lighting of lightings.filter((one) => one !== 'none')) {
      const button = h('button', { type: 'button' });
      button.addEventListener('click', () =>
        emit(this, 'hf-lighting', { lighting: this.#chosen === lighting ? 'none' : lighting }),
      );
      this.#buttons.set(lighting, button);
    }
    shadow(this, shared, own).append(this.#label, ...this.#buttons.values());
  }

  /** `next`: the likeliest next token; empty while it is not known. */
  show(chosen: Lighting, next: string, words: ScreenWords): void {
    this.#chosen = chosen;
    this.#label.textContent = words.map.lights;
    for (const [lighting, button] of this.#buttons) {
      const writes = lighting === 'writes' && next;
      button.hidden = lighting === 'writes' && !next;
      button.textContent = writes ? `${words.map.lighting.writes} ${next}` : words.map.lighting[lighting];
      button.title = words.map.measures(lighting, next);
      button.setAttribute('aria-pressed', String(lighting === chosen));
    }
  }
}

define('hf-lighting', LightingElement);
