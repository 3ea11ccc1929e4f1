// <hf-loading>: what of a model file is loaded, per part and per tensor, how fast the rest comes, and whether it is kept.
import type { Engine, LoadStatus, TensorLoad } from '../../engine/api';
import { define, h, shadow, sheet } from '../../ui/dom';
import { bytes } from '../../ui/numbers';
import { shared } from '../../ui/theme';
import type { Words } from '../../ui/words/words';
import { type PartLoad, partsOf } from './parts';

const own = sheet(`
  p { margin: 0 0 14px; max-width: 75ch; color: var(--ink-soft); }
  .parts { display: grid; grid-template-columns: max-content minmax(80px, 240px) max-content; gap: 5px 18px;
    align-items: center; font-size: 14px; font-variant-numeric: tabular-nums; }
  .size { text-align: right; color: var(--ink-soft); }
  progress { appearance: none; width: 100%; height: 5px; border: 0; background: var(--rule); display: block; }
  progress::-webkit-progress-bar { background: var(--rule); }
  progress::-webkit-progress-value { background: var(--ink-soft); }
  progress::-moz-progress-bar { background: var(--ink-soft); }
  details { margin-top: 18px; }
  summary { cursor: pointer; color: var(--ink-soft); }
  .scroll { overflow-x: auto; margin-top: 10px; }
  table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
  th { font-weight: 400; color: var(--ink-faint); text-align: left; }
  th, td { padding: 2px 22px 2px 0; white-space: nowrap; }
  td.number, th.number { text-align: right; }
  td.name { font-family: var(--mono); font-size: 12.5px; }
`);

const REFRESH = 500;

export class LoadingElement extends HTMLElement {
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
  #words: Words | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor() {
    super();
    shadow(this, shared, own).append(this.#summary, this.#parts, this.#tensors);
    this.#tensors.addEventListener('toggle', () => void this.#refresh());
  }

  /** Follows this model's loading for as long as the element is in the document. */
  show(engine: Engine | null, words: Words): void {
    this.#engine = engine;
    this.#words = words;
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
    const [engine, words] = [this.#engine, this.#words];
    if (!engine || !words || !this.checkVisibility()) return;
    const status = await engine.status().catch(() => null); // A model that was closed is followed no longer.
    if (status && engine === this.#engine) this.#draw(status, engine.info.fileSize, words);
  }

  #draw(status: LoadStatus, fileSize: number, words: Words): void {
    const { loading } = words;
    const parts = partsOf(status.tensors);
    const present = parts.reduce((sum, part) => sum + part.present, 0);
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    this.#summary.textContent = [
      present < size ? loading.some(bytes(present), bytes(size), bytes(fileSize)) : loading.whole(bytes(fileSize)),
      status.requests > 0 ? loading.network(status.requests, bytes(status.received)) : '',
      status.speed !== null && present < size ? loading.speed(bytes(Math.round(status.speed))) : '',
      loading.keeping(status.keeping),
      this.#integrity(status.tensors, words),
    ]
      .filter(Boolean)
      .join(' ');
    this.#parts.replaceChildren(...parts.flatMap((part) => this.#row(part, words)));
    this.#title.textContent = loading.tensors(status.tensors.length);
    if (this.#tensors.open) this.#list(status.tensors, words);
  }

  #integrity(tensors: readonly TensorLoad[], { loading }: Words): string {
    const verified = tensors.filter((tensor) => tensor.verified === true).length;
    return loading.integrity(verified, tensors.length);
  }

  #row({ part, block, size, present }: PartLoad, { loading }: Words): HTMLElement[] {
    const name = loading.part(part, block);
    const said = present < size ? loading.of(bytes(present), bytes(size)) : bytes(size);
    return [
      h('span', {}, name),
      h('progress', { max: size, value: present, 'aria-label': name }),
      h('span', { class: 'size' }, said),
    ];
  }

  #list(tensors: readonly TensorLoad[], { loading }: Words): void {
    const cell = (text: string, name = ''): HTMLElement => h('td', { class: name }, text);
    this.#head.replaceChildren(
      ...loading.columns.map((title, index) => h('th', { scope: 'col', class: index > 2 ? 'number' : '' }, title)),
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
          cell(loading.verified(tensor.verified), 'number'),
        ),
      ),
    );
  }
}

define('hf-loading', LoadingElement);
