// <hf-published>: the model against the numbers that are published for GPT-2 small, where it has that shape.
import published from '../../../cpp/analysis/checks/published/gpt2-small.json';
import type { Engine, Session } from '../../engine/api';
import { define, h, shadow, sheet } from '../../ui/dom';
import { bytes, significant } from '../../ui/numbers';
import { shared } from '../../ui/theme';
import { enPublished } from '../../ui/words/en-published';
import { messageOf } from '../inside/session';
import { insideSheet } from '../inside/styles';
import { readGolden } from './golden';
import { type Comparison, comparisons, holds } from './published';

const words = enPublished;

const own = sheet(`
  h3 { font: 600 17px/1.3 var(--serif); margin: 0 0 6px; }
  .failed { font-weight: 650; }
  .what { max-width: 60ch; overflow: hidden; text-overflow: ellipsis; }
`);

export class PublishedElement extends HTMLElement {
  readonly #about = h('span', { class: 'soft', role: 'status' });
  readonly #run = h('button', { type: 'button', class: 'quiet', onclick: () => void this.#compare() });
  readonly #table = h('table');
  #engine: Engine | null = null;

  constructor() {
    super();
    const scroll = { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.title };
    shadow(this, shared, insideSheet, own).append(
      h('h3', {}, words.title),
      h('p', { class: 'soft' }, words.lead),
      h('div', { class: 'bar' }, this.#about, this.#run),
      h('div', scroll, this.#table),
    );
  }

  /** Offers the comparison where the model has GPT-2 small's shape and vocabulary. */
  show(engine: Engine): void {
    this.hidden = !engine.info.shapedLikeGpt2Small;
    if (engine === this.#engine) return;
    this.#engine = engine;
    this.#table.replaceChildren();
    this.#about.textContent = '';
    this.#run.textContent = '';
    this.#run.disabled = false;
    if (!this.hidden) this.#offer(engine).catch(() => undefined); // Closed: another one is on its way.
  }

  /** Says how much it will load. */
  async #offer(engine: Engine): Promise<void> {
    const session = await engine.createSession();
    try {
      const tokens = await engine.tokenize('How are');
      await session.setTokens(tokens.map(({ id }) => id));
      const lacking = await session.lacking({ kind: 'logits', block: 0 });
      if (engine === this.#engine) this.#run.textContent = lacking > 0 ? words.load(bytes(lacking)) : words.run;
    } finally {
      await session.close().catch(() => undefined); // It ended with its engine.
    }
  }

  async #compare(): Promise<void> {
    const engine = this.#engine;
    if (!engine) return;
    const found: Comparison[] = [];
    const current = (): boolean => engine === this.#engine;
    this.#run.disabled = true;
    this.#table.replaceChildren();
    let session: Session | null = null;
    try {
      session = await engine.createSession();
      for await (const comparison of comparisons(readGolden(published, engine.info), engine, session)) {
        if (!current()) return;
        found.push(comparison);
        this.#about.textContent = words.running(found.length);
      }
      if (!current()) return;
      const failed = found.filter((one) => !holds(one));
      this.#about.textContent = words.outcome(found.length, failed.length);
      this.#table.replaceChildren(...comparisonTable([...failed, ...found.filter(holds)]));
    } catch (error) {
      if (current()) this.#about.textContent = words.failed(messageOf(error));
    } finally {
      await session?.close().catch(() => undefined); // It ended with its engine.
    }
    if (!current()) return;
    this.#run.textContent = words.again;
    this.#run.disabled = false;
  }
}

function comparisonTable(found: readonly Comparison[]): HTMLElement[] {
  const { what, expected, got, difference, tolerance, verdict } = words.columns;
  const head = (text: string, numeric: boolean) => h('th', { scope: 'col', class: numeric ? 'n' : null }, text);
  const number = (value: number): string => (Number.isFinite(value) ? significant(value, 3) : '');
  const rows = found.map((one) =>
    h(
      'tr',
      { class: holds(one) ? null : 'failed' },
      h('td', { class: 'what' }, one.what),
      h('td', { class: 'n' }, one.expected),
      h('td', { class: 'n' }, one.got),
      h('td', { class: 'n' }, number(one.difference)),
      h('td', { class: 'n' }, number(one.tolerance)),
      h('td', {}, holds(one) ? words.holds : words.fails),
    ),
  );
  const heads = [
    head(what, false),
    ...[expected, got, difference, tolerance].map((text) => head(text, true)),
    head(verdict, false),
  ];
  return [h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...rows)];
}

define('hf-published', PublishedElement);
