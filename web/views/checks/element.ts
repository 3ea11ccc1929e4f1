// <hf-checks>: what must hold of any run, measured on the block shown, and the published numbers of GPT-2 small.
import type { Check, Engine } from '../../engine/api';
import { define, h, shadow, sheet } from '../../ui/dom';
import { bytes, integer, significant } from '../../ui/numbers';
import { shared } from '../../ui/theme';
import { shortened, wellFormed } from '../../ui/tokens';
import { enChecks } from '../../ui/words/en-checks';
import type { InsideView, Panel } from '../inside/panel';
import { messageOf, OwnSession } from '../inside/session';
import { insideSheet } from '../inside/styles';
import { MOST_WORK, runningWork } from '../inside/work';
import type { PublishedElement } from './published-element';

const words = enChecks;

/** A second run, of which a part is continued, and reading all of the block. */
const RUNS = 4;
/** Of the prompt, in the line that says what was checked. */
const MOST_CHARACTERS = 60;

const own = sheet(`
  td.says { white-space: normal; min-width: min(300px, 64cqw); max-width: 60ch; }
  .failed { font-weight: 650; }
  hf-published { margin-top: 36px; }
`);

export class ChecksElement extends HTMLElement implements Panel {
  readonly #about = h('span', { class: 'about soft', role: 'status' });
  readonly #run = h('button', { type: 'button', class: 'quiet run', onclick: () => void this.#check() });
  readonly #table = h('table');
  /** Loaded once a model has GPT-2 small's shape. */
  #published: PublishedElement | null = null;
  readonly #own = new OwnSession();
  #view: InsideView | null = null;
  /** Which block's checks are shown or on their way. */
  #asked: number | null = null;

  constructor() {
    super();
    const scroll = { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.table };
    shadow(this, shared, insideSheet, own).append(
      h('p', { class: 'lead' }, words.lead),
      h('div', { class: 'bar' }, this.#about, this.#run),
      h('div', scroll, this.#table),
    );
  }

  show(view: InsideView): void {
    const others = this.#own.follow(view);
    this.#view = view;
    if (others || view.block !== this.#asked) this.#offer();
    void this.#compare(view.engine);
  }

  disconnectedCallback(): void {
    this.#own.close();
    this.#asked = null;
  }

  async #compare(engine: Engine): Promise<void> {
    if (engine.info.shapedLikeGpt2Small && !this.#published) {
      const { PublishedElement } = await import('./published-element').catch(() => ({ PublishedElement: null }));
      if (!PublishedElement || this.#published) return;
      this.#published = new PublishedElement();
      this.shadowRoot?.append(this.#published);
    }
    if (this.#view) this.#published?.show(this.#view.engine);
  }

  /** Nothing is measured yet: by itself where nothing is to be loaded and little to be computed, else by a button. */
  #offer(): void {
    this.#asked = null;
    this.#table.replaceChildren();
    this.#about.textContent = this.#place();
    this.#run.textContent = words.run;
    void this.#start();
  }

  async #start(): Promise<void> {
    const view = this.#view;
    if (!view) return;
    const { engine, tokens, block, computed } = view;
    const goal = { kind: 'mlp', block } as const;
    const current = this.#own.watch();
    const lacking = await this.#own
      .open()
      .then((session) => session.lacking(goal))
      .catch(() => null);
    if (lacking === null || !current() || this.#view?.block !== block || this.#asked !== null) return;
    this.#run.textContent = lacking > 0 ? words.load(bytes(lacking)) : words.run;
    const cheap = RUNS * runningWork(goal, tokens.length, engine.info) <= MOST_WORK;
    if (lacking === 0 && computed > block && cheap) await this.#check();
  }

  #place(): string {
    const { block, tokens, prompt } = this.#view ?? { block: 0, tokens: [], prompt: '' };
    return words.place(block, shortened(wellFormed(prompt), MOST_CHARACTERS), tokens.length);
  }

  async #check(): Promise<void> {
    const block = this.#view?.block;
    if (block === undefined) return;
    this.#asked = block;
    const current = this.#own.watch();
    const stale = (): boolean => !current() || this.#view?.block !== block;
    this.#about.textContent = `${this.#place()} ${words.running}`;
    try {
      const session = await this.#own.open();
      const checks = await session.checks(block);
      if (stale()) return;
      this.#table.replaceChildren(...checkTable(checks));
      const failed = checks.filter(({ holds }) => !holds).length;
      this.#about.textContent = `${this.#place()} ${words.outcome(checks.length, failed)}`;
    } catch (error) {
      if (!stale()) this.#about.textContent = words.failed(messageOf(error));
    }
    this.#run.textContent = words.again;
  }
}

function checkTable(checks: readonly Check[]): HTMLElement[] {
  const { identity, compared, error, bound, verdict } = words.columns;
  const head = (text: string, numeric = true) => h('th', { scope: 'col', class: numeric ? 'n' : null }, text);
  const rows = checks.map((check) => {
    const { name, countsBits, holds } = check;
    return h(
      'tr',
      { 'data-check': name, class: holds ? null : 'failed' },
      h('td', { class: 'says' }, words.identities[name]),
      h('td', {}, holds ? words.holds : words.fails),
      h('td', { class: 'n' }, integer(check.compared)),
      h('td', { class: 'n' }, countsBits ? words.differ(check.error) : significant(check.error, 3)),
      h('td', { class: 'n' }, countsBits ? words.differ(check.bound) : significant(check.bound, 3)),
    );
  });
  const heads = [head(identity, false), head(verdict, false), head(compared), head(error), head(bound)];
  return [h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...rows)];
}

define('hf-checks', ChecksElement);

export const create = (): Panel => new ChecksElement();
