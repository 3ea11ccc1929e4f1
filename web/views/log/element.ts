// <hf-log>: the nodes in the order in which llama.cpp runs them, with operations, operands, shapes and values.
import type { LogEntry, Stage, StageKind } from '../../engine/api';
import { isEngineFailure } from '../../engine/errors';
import { define, h, shadow } from '../../ui/dom';
import { bytes } from '../../ui/numbers';
import { shared } from '../../ui/theme';
import { enLog } from '../../ui/words/en-log';
import type { InsideView, Panel } from '../inside/panel';
import { insideSheet } from '../inside/styles';
import { MOST_WORK, readingWork, runningWork } from '../inside/work';
import { COLUMNS, EntryLines } from './lines';
import { type Section, sections } from './list';
import { LogReader } from './reader';
import { logSheet } from './styles';

const words = enLog;

/** A part of the model as it is shown. */
interface Part {
  readonly section: Section;
  readonly ask: HTMLElement;
  readonly lines: readonly EntryLines[];
  /** Stages whose values are read without being asked for. */
  readonly free: Set<StageKind>;
}

export class LogElement extends HTMLElement implements Panel {
  readonly #filter = h('input', { type: 'text', id: 'filter', spellcheck: 'false', placeholder: words.example });
  readonly #said = h('p', { class: 'said soft', role: 'status' });
  readonly #table = h('table');
  readonly #reader = new LogReader((name, known) => this.#lines.get(name)?.take(known));
  readonly #seeing = new IntersectionObserver((seen) => this.#see(seen), { rootMargin: '200px' });
  readonly #inView = new Set<string>();
  #parts: readonly Part[] = [];
  #lines = new Map<string, EntryLines>();
  #view: InsideView | null = null;
  /** Those that the filter lets through, as they were found last. */
  #found: readonly LogEntry[] = [];
  #drawn = '';
  #logical = false;
  #opened = false;
  #all = false;

  constructor() {
    super();
    this.#filter.addEventListener('input', () => void (this.#view && this.#list(this.#view)));
    const label = h('label', { class: 'label', for: 'filter' }, words.filter);
    const scroll = { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.table };
    shadow(this, shared, insideSheet, logSheet).append(
      h('p', { class: 'lead' }, words.lead),
      h(
        'div',
        { class: 'bar' },
        h('div', { class: 'filter' }, label, this.#filter),
        this.#toggle(words.logical, () => (this.#logical = !this.#logical)),
        this.#toggle(words.allValues, () => (this.#opened = !this.#opened)),
        this.#toggle(words.allBlocks, () => (this.#all = !this.#all)),
      ),
      this.#said,
      h('div', scroll, this.#table),
    );
  }

  #toggle(text: string, flip: () => boolean): HTMLElement {
    const press = () => {
      button.setAttribute('aria-pressed', String(flip()));
      this.#draw();
    };
    const button = h('button', { type: 'button', class: 'toggle', 'aria-pressed': 'false', onclick: press }, text);
    return button;
  }

  show(view: InsideView): void {
    const before = this.#view;
    this.#view = view;
    this.#reader.show(view);
    const { engine, tokens, block } = view;
    if (engine !== before?.engine || tokens.length !== before.tokens.length) {
      void this.#list(view);
      return;
    }
    const drawn = `${block}|${tokens.map(({ id }) => id).join()}|${JSON.stringify(view.edits)}`;
    if (drawn !== this.#drawn) this.#draw();
    else if (view.computed !== before.computed) for (const part of this.#parts) void this.#offer(part);
    this.#drawn = drawn;
  }

  disconnectedCallback(): void {
    this.#reader.close();
    this.#view = null;
    this.#drawn = '';
  }

  /** Asks for the entries again, and for those that the filter lets through: the engine has the dialect of patterns. */
  async #list({ engine, tokens }: InsideView): Promise<void> {
    const filter = this.#filter.value;
    let refused: string | null = null;
    const closed = (): readonly LogEntry[] => []; // Another one is on its way.
    const all = await engine.log(tokens.length).catch(closed);
    const found = filter
      ? await engine.log(tokens.length, filter).catch((error) => {
          if (isEngineFailure(error) && error.code === 'bad_argument') refused = error.message;
          return closed();
        })
      : all;
    if (this.#view?.engine !== engine || this.#view.tokens.length !== tokens.length) return;
    if (this.#filter.value !== filter) return;
    this.#found = found;
    this.#filter.setAttribute('aria-invalid', String(refused !== null));
    this.#said.textContent = refused ? words.invalid(refused) : filter ? words.found(found.length, all.length) : '';
    this.#draw();
  }

  #draw(): void {
    const view = this.#view;
    if (!view) return;
    this.#seeing.disconnect();
    this.#inView.clear();
    this.#lines = new Map();
    this.#parts = sections(this.#found, this.#all || this.#filter.value ? null : view.block).map((section) =>
      this.#part(section),
    );
    const { name, operation, operands, shape, sum } = words.columns;
    const heads = [name, operation, operands, shape].map((text) => h('th', { scope: 'col' }, text));
    this.#table.replaceChildren(
      h('thead', {}, h('tr', {}, ...heads, h('th', { scope: 'col', class: 'n' }, sum))),
      ...this.#parts.map(({ section, ask, lines }) => {
        const title = words.section(section.kind, section.block);
        const head = h('tr', {}, h('th', { scope: 'rowgroup', colspan: COLUMNS }, title, ask));
        return h('tbody', {}, head, ...lines.flatMap(({ rows }) => rows));
      }),
    );
    for (const part of this.#parts) void this.#offer(part);
    for (const { row } of this.#lines.values()) this.#seeing.observe(row);
  }

  #part(section: Section): Part {
    const lines = section.entries.map((entry) => {
      const line = new EntryLines(entry, this.#logical, words, () => this.#reader.want(entry));
      line.take(this.#reader.known(entry.name));
      if (this.#opened) line.show();
      this.#lines.set(entry.name, line);
      return line;
    });
    return { section, ask: h('span', { class: 'ask' }), lines, free: new Set() };
  }

  /** Values are read by themselves where nothing is to be loaded and little to be computed; else a button reads them. */
  async #offer(part: Part): Promise<void> {
    const { section, ask, lines, free } = part;
    const goals = [...new Map(lines.map(({ entry }) => [entry.stage.kind, entry.stage])).values()];
    let lacking = 0;
    for (const goal of goals) {
      lacking = await this.#reader.lacking(goal).catch(() => Number.POSITIVE_INFINITY);
      if (!Number.isFinite(lacking) || !this.#parts.includes(part)) return;
      if (lacking === 0 && this.#isCheap(goal)) free.add(goal.kind);
    }
    ask.replaceChildren();
    this.#readSeen(part);
    if (lines.every(({ entry }) => free.has(entry.stage.kind) || this.#reader.known(entry.name))) return;
    const read = () => {
      ask.replaceChildren();
      for (const { entry } of lines) this.#reader.want(entry);
    };
    const text = lacking > 0 ? words.load(bytes(lacking)) : words.compute;
    const label = `${text}: ${words.section(section.kind, section.block)}`;
    ask.append(h('button', { type: 'button', class: 'quiet', 'aria-label': label, onclick: read }, text));
  }

  /** The figure has computed it, and again it takes little. */
  #isCheap(goal: Stage): boolean {
    const view = this.#view;
    if (!view) return false;
    const { info } = view.engine;
    const last = goal.kind === 'logits' ? info.config.blockCount : goal.block;
    const computed = goal.kind === 'embed' || view.computed > last;
    return computed && runningWork(goal, view.tokens.length, info) <= MOST_WORK;
  }

  #see(seen: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of seen) {
      const name = target.getAttribute('data-name') ?? '';
      if (isIntersecting) this.#inView.add(name);
      else this.#inView.delete(name);
    }
    for (const part of this.#parts) this.#readSeen(part);
  }

  #readSeen({ lines, free }: Part): void {
    const info = this.#view?.engine.info;
    for (const { entry } of lines) {
      const seen = free.has(entry.stage.kind) && this.#inView.has(entry.name);
      if (info && seen && readingWork(entry, info) <= MOST_WORK) this.#reader.want(entry);
    }
  }
}

define('hf-log', LogElement);

export const create = (): Panel => new LogElement();
