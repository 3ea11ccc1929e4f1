// One entry of the log as lines of its table: what it is, a note, and its values once it is opened.
import type { LogEntry, LogTensor } from '../../engine/api';
import { h } from '../../ui/dom';
import { fixed } from '../../ui/numbers';
import type { LogWords } from '../../ui/words/inside';
import { shapeText, valueRows } from './list';
import type { Known } from './reader';

/** Columns of the log's table. */
export const COLUMNS = 5;

/** A name and its shape. */
const tensor = (of: LogTensor, logical: boolean): (Node | string)[] => [
  h('span', { class: 'mono' }, of.name),
  ' ',
  h('span', { class: 'mono faint' }, shapeText(of, logical)),
];

export class EntryLines {
  readonly entry: LogEntry;
  readonly rows: readonly HTMLElement[];
  readonly #read: () => void;
  readonly #words: LogWords;
  readonly #name: HTMLButtonElement;
  readonly #sum = h('td', { class: 'n' });
  readonly #values = h('td', { colspan: COLUMNS });
  readonly #row: HTMLElement;
  readonly #valuesRow = h('tr', { class: 'values', hidden: true }, this.#values);
  #known: Known | undefined;

  /** `read`: called when the reader opens the entry or asks for its sum. */
  constructor(entry: LogEntry, logical: boolean, words: LogWords, read: () => void) {
    this.entry = entry;
    this.#words = words;
    this.#read = read;
    const press = () => {
      if (this.#opened) this.#hide();
      else {
        this.show();
        if (!this.#known) read();
      }
    };
    const button = { type: 'button', class: 'name mono', 'aria-expanded': 'false', onclick: press };
    this.#name = h('button', button, entry.name);
    const operands = entry.operands.map((operand) => h('span', { class: 'of' }, ...tensor(operand, logical)));
    this.#row = h(
      'tr',
      { class: 'entry', 'data-name': entry.name },
      h('td', {}, this.#name),
      h('td', { class: 'mono soft' }, entry.operation),
      h('td', {}, ...operands),
      h('td', { class: 'mono' }, shapeText(entry, logical)),
      this.#sum,
    );
    const [key = entry.name] = entry.name.split('-');
    const notes = [words.notes[key], entry.unnamed ? words.unnamed : undefined].filter((note) => note !== undefined);
    const note = h('tr', { class: 'note' }, h('td', { colspan: 2 }), h('td', { colspan: 3 }, notes.join(' ')));
    this.rows = notes.length > 0 ? [this.#row, note, this.#valuesRow] : [this.#row, this.#valuesRow];
    this.take(undefined);
  }

  /** What comes into view. */
  get row(): HTMLElement {
    return this.#row;
  }

  get #opened(): boolean {
    return !this.#valuesRow.hidden;
  }

  /** Its values too. */
  show(): void {
    this.#valuesRow.hidden = false;
    this.#name.setAttribute('aria-expanded', 'true');
    this.#fill();
  }

  #hide(): void {
    this.#valuesRow.hidden = true;
    this.#name.setAttribute('aria-expanded', 'false');
  }

  take(known: Known | undefined): void {
    this.#known = known;
    this.#fill();
  }

  #fill(): void {
    const known = this.#known;
    const words = this.#words;
    if (!known)
      this.#sum.replaceChildren(h('button', { type: 'button', class: 'quiet', onclick: this.#read }, words.read));
    else if (known.state === 'read') this.#sum.replaceChildren(fixed(known.values.sum, 6));
    else this.#sum.replaceChildren(known.state === 'waiting' ? '…' : '');
    if (!this.#opened) return;
    if (known?.state === 'read') this.#values.replaceChildren(valuesTable(valueRows(known.values)));
    else this.#values.replaceChildren(known?.state === 'failed' ? words.failed(known.message) : '…');
  }
}

function valuesTable(rows: ReturnType<typeof valueRows>): HTMLElement {
  const body = rows.map((cells) =>
    h(
      'tr',
      {},
      ...(cells ?? ['⋮']).map((text) =>
        cells && text !== null ? h('td', {}, text) : h('td', { class: 'gap' }, text ?? '…'),
      ),
    ),
  );
  return h('table', {}, h('tbody', {}, ...body));
}
