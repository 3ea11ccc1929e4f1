// <hf-loading>: what of a model file is loaded, per part and per tensor, how fast the rest comes, and whether it is kept.
import type { Engine, LoadStatus, TensorLoad } from '../../engine/api';
import { define, h, shadow, sheet } from '../../ui/dom';
import { bytes } from '../../ui/numbers';
import { shared } from '../../ui/theme';
import { enLoading } from '../../ui/words/en-loading';
import type { InsideView, Panel } from '../inside/panel';
import '../kept/element';
import { type PartLoad, partsOf, sum } from './parts';

const words = enLoading;

const own = sheet(`
  p { margin: 0 0 14px; max-width: 75ch; color: var(--ink-soft); }
  .parts { display: grid; grid-template-columns: max-content minmax(80px, 240px) max-content; gap: 5px 18px;
    align-items: center; font-size: 14px; font-variant-numeric: tabular-nums; }
  .size { text-align: right; color: var(--ink-soft); }
  .bars { display: flex; gap: 3px; }
  progress { appearance: none; flex: 1 1 0; min-width: 2px; width: 0; height: 5px; border: 0; background: var(--rule); display: block; }
  progress::-webkit-progress-bar { background: var(--rule); }
  progress::-webkit-progress-value { background: var(--ink-soft); }
  progress::-moz-progress-bar { background: var(--ink-soft); }
  .note { font-size: 13px; color: var(--ink-faint); margin: 10px 0 0; }
  @media (max-width: 600px) { .parts { grid-template-columns: max-content minmax(40px, 1fr) max-content; gap: 5px 12px; } }
  details { margin-top: 18px; }
  hf-kept { margin-top: 28px; }
  summary { cursor: pointer; color: var(--ink-soft); }
  .scroll { overflow-x: auto; margin-top: 10px; }
  table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
  th { font-weight: 400; color: var(--ink-faint); text-align: left; }
  th, td { padding: 2px 22px 2px 0; white-space: nowrap; }
  td.number, th.number { text-align: right; }
  td.name { font-family: var(--mono); font-size: 12.5px; }
`);

const REFRESH = 500;

export class LoadingElement extends HTMLElement implements Panel {
  readonly #summary = h('p', { role: 'status' });
  readonly #parts = h('div', { class: 'parts' });
  readonly #title = h('summary');
  readonly #table = h('tbody');
  readonly #head = h('tr');
  readonly #tensors = h(
    'details',
    {},
    this.#title,
    h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, this.#head), this.#table)),
  );
  #engine: Engine | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor() {
    super();
    shadow(this, shared, own).append(
      this.#summary,
      this.#parts,
      h('p', { class: 'note' }, words.bars),
      this.#tensors,
      h('hf-kept'),
    );
    this.#tensors.addEventListener('toggle', () => void this.#refresh());
  }

  /** Follows this model's loading for as long as the element is in the document. */
  show({ engine }: InsideView): void {
    this.#engine = engine;
    void this.#refresh();
  }

  connectedCallback(): void {
    this.#timer ??= setInterval(() => void this.#refresh(), REFRESH);
    void this.#refresh();
  }

  disconnectedCallback(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #refresh(): Promise<void> {
    const engine = this.#engine;
    if (!engine || !this.checkVisibility()) return;
    const status = await engine.status().catch(() => null); // A model that was closed is followed no longer.
    if (status && engine === this.#engine) this.#draw(status, engine.info.fileSize);
  }

  #draw(status: LoadStatus, fileSize: number): void {
    const parts = partsOf(status.tensors);
    const [present, size] = [sum(parts, 'present'), sum(parts, 'size')];
    this.#summary.textContent = [
      present < size ? words.some(bytes(present), bytes(size), bytes(fileSize)) : words.whole(bytes(fileSize)),
      status.requests > 0 ? words.network(status.requests, bytes(status.received)) : '',
      status.speed !== null && present < size ? words.speed(bytes(Math.round(status.speed))) : '',
      words.keeping(status.keeping),
      this.#integrity(status.tensors),
    ]
      .filter(Boolean)
      .join(' ');
    this.#parts.replaceChildren(...this.#rows(parts));
    this.#title.textContent = words.tensors(status.tensors.length);
    if (this.#tensors.open) this.#list(status.tensors);
  }

  #integrity(tensors: readonly TensorLoad[]): string {
    const verified = tensors.filter((tensor) => tensor.verified === true).length;
    return words.integrity(verified, tensors.length);
  }

  /** The embeddings, each block, the output: a bar for each of their parts, as wide as it has bytes. */
  #rows(parts: readonly PartLoad[]): HTMLElement[] {
    const rows = new Map<string, PartLoad[]>();
    for (const part of parts) {
      const key = part.block === null ? part.part : String(part.block);
      rows.set(key, [...(rows.get(key) ?? []), part]);
    }
    return [...rows.values()].flatMap((list) => {
      const [present, size] = [sum(list, 'present'), sum(list, 'size')];
      const said = present < size ? words.of(bytes(present), bytes(size)) : bytes(size);
      const first = list[0];
      if (!first) return [];
      const bars = h('span', { class: 'bars' }, ...list.map((part) => this.#bar(part, size)));
      return [h('span', {}, words.row(first.part, first.block)), bars, h('span', { class: 'size' }, said)];
    });
  }

  #bar({ part, block, size, present }: PartLoad, ofRow: number): HTMLElement {
    const name = words.part(part, block);
    const title = `${name}: ${words.of(bytes(present), bytes(size))}`;
    const bar = h('progress', { max: size, value: present, 'aria-label': name, title });
    bar.style.setProperty('flex-grow', String(size / ofRow));
    return bar;
  }

  #list(tensors: readonly TensorLoad[]): void {
    const cell = (text: string, name = ''): HTMLElement => h('td', { class: name }, text);
    this.#head.replaceChildren(
      ...words.columns.map((title, index) => h('th', { scope: 'col', class: index > 2 ? 'number' : '' }, title)),
    );
    this.#table.replaceChildren(
      ...tensors.map((tensor) =>
        h(
          'tr',
          {},
          cell(tensor.name, 'name'),
          cell(tensor.type),
          cell(`{${tensor.ggmlShape.join(', ')}}`),
          cell(bytes(tensor.size), 'number'),
          cell(bytes(tensor.present), 'number'),
          cell(words.verified(tensor.verified), 'number'),
        ),
      ),
    );
  }
}

define('hf-loading', LoadingElement);

export const create = (): Panel => new LoadingElement();
