// <hf-breakdown>: one number taken apart: its formula, the values on the way, its terms, and how exactly they add up.
// Every operand is a button that leads to where it came from; the way here stands above.
import type { Token } from '../../engine/api';
import { type Explanation, parseCell, type Step } from '../../engine/explanation';
import { define, emit, h, shadow } from '../../ui/dom';
import { plain } from '../../ui/marks/math';
import { mathDocument } from '../../ui/marks/paint';
import { brief, decimal, exact, integer } from '../../ui/numbers';
import { shared } from '../../ui/theme';
import { tokenText } from '../../ui/tokens';
import type { Words } from '../../ui/words/words';
import {
  constantSymbols,
  exponentialSymbol,
  formulaOf,
  type Names,
  scaledSymbol,
  scoreSymbol,
  stepSymbols,
} from './formula';
import { contextRows, type Operand, type Order, type RowLabel, type TermRow, termRows } from './rows';
import { breakdownSheet } from './styles';
import { blockOf, cellSymbol, headOf } from './symbols';

export interface BreakdownData {
  /** Cells as text; the last one is explained. */
  readonly path: readonly string[];
  /** Null while it is being computed. */
  readonly explanation: Explanation | null;
  readonly failure: string | null;
  readonly names: Names;
  readonly tokens: readonly Token[];
}

const FIRST_ROWS = 64;

export class BreakdownElement extends HTMLElement {
  readonly #head = h('div', { class: 'head', tabindex: -1 });
  readonly #says = h('div', { class: 'says' });
  readonly #terms = h('div', { class: 'terms', tabindex: 0, role: 'region' });
  readonly #spoken = h('div', { class: 'hidden', 'aria-live': 'polite' });
  #data: BreakdownData | null = null;
  #words: Words | null = null;
  #order: Order = 'largest';
  /** How many rows of terms are shown. */
  #shown = FIRST_ROWS;

  constructor() {
    super();
    const body = h('div', { class: 'body' }, this.#says, this.#terms);
    shadow(this, shared, breakdownSheet).append(this.#head, body, this.#spoken);
  }

  /** The focus stays in the panel when the button that had it is gone. */
  show(data: BreakdownData | null, words: Words): void {
    const focused = this.shadowRoot?.activeElement;
    this.#show(data, words);
    if (data && focused && !focused.isConnected) this.#head.focus({ preventScroll: true });
  }

  #show(data: BreakdownData | null, words: Words): void {
    const before = this.#data?.explanation?.cell;
    this.#data = data;
    this.#words = words;
    this.hidden = data === null;
    if (!data) return;
    const { explanation, failure } = data;
    this.#head.replaceChildren(this.#way(data, words));
    if (!explanation) {
      this.#says.replaceChildren(
        h('p', { class: 'quietly' }, failure ? words.breakdown.failed(failure) : words.breakdown.waiting),
      );
      this.#terms.replaceChildren();
      return;
    }
    if (explanation.cell !== before) {
      this.#shown = FIRST_ROWS;
      this.#terms.scrollTop = 0;
      this.scrollTop = 0;
    }
    this.#says.replaceChildren(...this.#statement(explanation, data.names, words));
    this.#table();
    if (explanation.cell !== before) this.#revealOwn();
    const spoken = this.#plainCell(explanation.cell);
    this.#spoken.textContent = `${spoken} = ${decimal(explanation.value)}. ${this.#sentence(explanation, words)}`;
  }

  #go(path: readonly string[]): void {
    emit(this, 'hf-path', path);
  }

  #plainCell(text: string): string {
    const cell = parseCell(text);
    return cell && this.#data ? plain(cellSymbol(cell, this.#data.names.nodes, this.#data.names.blocks)) : text;
  }

  #symbol(text: string): Element {
    const cell = parseCell(text);
    const names = this.#data?.names;
    return cell && names ? mathDocument(cellSymbol(cell, names.nodes, names.blocks)) : h('span', {}, text);
  }

  /** Breadcrumb, and back. */
  #way({ path }: BreakdownData, words: Words): HTMLElement {
    const steps = path.map((text, index) => {
      const last = index === path.length - 1;
      const go = () => this.#go(path.slice(0, index + 1));
      const step = last
        ? h('span', { class: 'here', 'aria-current': 'step' }, this.#symbol(text))
        : h('button', { type: 'button', class: 'step', onclick: go }, this.#symbol(text));
      return h('li', {}, step);
    });
    const way = h('nav', { 'aria-label': words.breakdown.path }, h('ol', {}, ...steps));
    const buttons: HTMLElement[] = [];
    if (path.length > 1) {
      const back = () => this.#go(path.slice(0, -1));
      buttons.push(h('button', { type: 'button', class: 'quiet back', onclick: back }, words.breakdown.back));
    }
    buttons.push(
      h('button', { type: 'button', class: 'quiet close', onclick: () => this.#go([]) }, words.breakdown.close),
    );
    const cell = parseCell(path.at(-1) ?? '');
    const place = cell ? words.breakdown.place(blockOf(cell), headOf(cell)) : '';
    const title = h('h2', {}, words.breakdown.title, ...(place ? [': ', h('span', { class: 'place' }, place)] : []));
    return h('div', { class: 'way' }, title, way, h('div', { class: 'do' }, ...buttons));
  }

  #sentence(explanation: Explanation, words: Words): string {
    if (explanation.masked && explanation.function !== 'products') return words.breakdown.masked;
    return words.breakdown.says[explanation.function](explanation.parts[0]?.terms.length ?? 0);
  }

  #statement(explanation: Explanation, names: Names, words: Words): HTMLElement[] {
    const formula = formulaOf(explanation, names);
    const value = h(
      'p',
      { class: 'value' },
      this.#symbol(explanation.cell),
      ` = `,
      h('b', {}, exact(explanation.value)),
    );
    const parts: HTMLElement[] = [value, h('p', { class: 'formula' }, mathDocument(formula.symbols))];
    if (formula.values) parts.push(h('p', { class: 'formula numbers' }, mathDocument(formula.values)));
    parts.push(h('p', { class: 'sentence' }, this.#sentence(explanation, words)));
    const steps = explanation.steps.map((step) => this.#step(step, words));
    if (explanation.viewOf) {
      steps.unshift(
        h('div', {}, h('dt', {}, words.breakdown.view), h('dd', {}, this.#link(explanation.viewOf, words))),
      );
    }
    if (steps.length > 0) parts.push(h('dl', {}, ...steps));
    const used = explanation.parts.some(({ factors }) => factors.some((factor) => factor.used.length > 0));
    if (used) parts.push(h('p', { class: 'note' }, words.breakdown.rounded));
    const { result, error, bound } = explanation;
    const stated =
      error === 0 ? words.breakdown.resultExact : words.breakdown.result(exact(result), brief(error), brief(bound));
    parts.push(h('p', { class: 'note error' }, stated));
    return parts;
  }

  #step({ name, value, cell }: Step, words: Words): HTMLElement {
    const whole = Number.isInteger(value) && Math.abs(value) < 2 ** 53;
    const shown = whole ? integer(value) : name === 'epsilon' ? brief(value) : exact(value);
    const link = cell ? [' ', this.#link(cell, words)] : [];
    const symbol = stepSymbols[name];
    const said = words.breakdown.steps[name] ?? name;
    return h('div', {}, h('dt', {}, ...(symbol ? [mathDocument(symbol), ' '] : []), said), h('dd', {}, shown, ...link));
  }

  #link(cell: string, words: Words): HTMLElement {
    const path = this.#data?.path ?? [];
    const known = path.indexOf(cell);
    if (known === path.length - 1 && known >= 0) return h('span', {}, this.#symbol(cell)); // It is explained here.
    const go = () => this.#go(known >= 0 ? path.slice(0, known + 1) : [...path, cell]);
    const label = words.breakdown.follow(this.#plainCell(cell));
    return h(
      'button',
      { type: 'button', class: 'operand', 'data-cell': cell, 'aria-label': label, title: cell, onclick: go },
      this.#symbol(cell),
    );
  }

  #table(): void {
    const [data, words] = [this.#data, this.#words];
    const explanation = data?.explanation;
    if (!explanation || !words) return;
    const rows = termRows(explanation, this.#order);
    const single = rows.length < 3;
    const children: HTMLElement[] = single ? [] : [this.#orders(words)];
    const own = rows.slice(this.#shown).filter((row) => row.own);
    const shown = [...rows.slice(0, this.#shown), ...own];
    children.push(this.#termTable(explanation, shown, rows.length > 1, words));
    children.push(...this.#more(rows.length - shown.length, words));
    const context = contextRows(explanation);
    if (context.length > 0) children.push(...this.#contextTable(context, words));
    this.#terms.setAttribute('aria-label', words.breakdown.title);
    this.#terms.replaceChildren(...children);
  }

  /** Scrolls the terms, and nothing else, until the one that is explained is in sight. */
  #revealOwn(): void {
    const own = this.#terms.querySelector<HTMLElement>('.own');
    if (!own) return;
    const [frame, place] = [this.#terms.getBoundingClientRect(), own.getBoundingClientRect()];
    if (place.bottom > frame.bottom) this.#terms.scrollTop += place.bottom - frame.bottom + place.height;
  }

  #more(left: number, words: Words): HTMLElement[] {
    if (left <= 0) return [];
    const show = () => {
      this.#shown = Number.POSITIVE_INFINITY;
      this.#table();
    };
    return [h('button', { type: 'button', class: 'quiet more', onclick: show }, words.breakdown.more(left))];
  }

  #orders(words: Words): HTMLElement {
    const button = (order: Order, label: string) =>
      h(
        'button',
        {
          type: 'button',
          'aria-pressed': String(this.#order === order),
          'data-order': order,
          onclick: () => {
            this.#order = order;
            this.#table();
          },
        },
        label,
      );
    return h(
      'div',
      { class: 'orders', role: 'group', 'aria-label': words.breakdown.order },
      button('largest', words.breakdown.largest),
      button('given', words.breakdown.inOrder),
    );
  }

  #label(label: RowLabel, words: Words): string {
    switch (label.kind) {
      case 'token': {
        const token = this.#data?.tokens[label.token];
        return token ? `${label.token} ${tokenText(token)}` : String(label.token);
      }
      case 'head':
        return words.breakdown.head(label.head);
      case 'index':
        return String(label.index);
      case 'bias':
        return words.breakdown.bias;
      case 'none':
        return '';
    }
  }

  #termTable(explanation: Explanation, rows: readonly TermRow[], sums: boolean, words: Words): HTMLElement {
    const width = Math.max(...rows.map(({ operands }) => operands.length));
    const used = rows.some(({ operands }) => operands.some((operand) => operand.used !== null));
    const labelled = rows.some(({ label }) => label.kind !== 'none');
    const softmax = explanation.function === 'softmax';
    const heads: HTMLElement[] = labelled ? [h('th')] : [];
    const titles = softmax
      ? [[words.breakdown.score, ' ', mathDocument(scoreSymbol)], [mathDocument(scaledSymbol)]]
      : [[words.breakdown.value], [used ? words.breakdown.weight : words.breakdown.value]];
    for (let factor = 0; factor < width; factor++) {
      heads.push(h('th', { colspan: 2, scope: 'col' }, ...(titles[factor] ?? [])));
      if (factor === 0 && used) heads.push(h('th', { scope: 'col' }, words.breakdown.used));
    }
    const term = softmax ? mathDocument(exponentialSymbol) : words.breakdown.term;
    heads.push(h('th', { scope: 'col', colspan: 2 }, term));
    if (softmax) heads.push(h('th', { scope: 'col' }, words.breakdown.share));
    if (sums) heads.push(h('th', { scope: 'col' }, words.breakdown.soFar));
    const body = rows.map((row) => {
      const cells: HTMLElement[] = labelled ? [h('th', { scope: 'row' }, this.#label(row.label, words))] : [];
      for (let factor = 0; factor < width; factor++) {
        const operand = row.operands[factor];
        cells.push(...this.#operandCells(operand, words));
        if (factor === 0 && used) cells.push(usedCell(operand));
      }
      cells.push(barCell(row.bar), h('td', { class: 'n' }, decimal(row.term, 6)));
      if (softmax) cells.push(h('td', { class: 'n strong' }, decimal(row.share ?? Number.NaN)));
      if (sums) cells.push(h('td', { class: 'n soft' }, decimal(row.soFar, 6)));
      return h('tr', { class: row.own ? 'own' : null }, ...cells);
    });
    return h('table', {}, h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...body));
  }

  #operandCells(operand: Operand | undefined, words: Words): HTMLElement[] {
    if (!operand) return [h('td'), h('td')];
    const constant = constantSymbols[operand.constant];
    const fixed = constant ? mathDocument(constant) : (words.breakdown.constants[operand.constant] ?? '');
    const source = operand.cell ? this.#link(operand.cell, words) : fixed;
    const codes = operand.code !== null && operand.used === null ? product(operand.code, operand.scale) : null;
    return [h('td', {}, source), h('td', { class: 'n', title: codes }, decimal(operand.value))];
  }

  #contextTable(context: readonly Operand[], words: Words): HTMLElement[] {
    const rows = context.slice(0, this.#shown);
    const largest = Math.max(...context.map(({ value }) => Math.abs(value)));
    const body = rows.map((operand) =>
      h('tr', {}, ...this.#operandCells(operand, words), barCell(largest > 0 ? operand.value / largest : 0)),
    );
    return [
      h('p', { class: 'caption' }, words.breakdown.context(context.length)),
      h('table', {}, h('tbody', {}, ...body)),
      ...this.#more(context.length - rows.length, words),
    ];
  }
}

const product = (code: number, scale: number | null): string => `${integer(code)} × ${exact(scale ?? Number.NaN)}`;

/** What the kernel used in place of a value, and its code and scale. */
function usedCell(operand: Operand | undefined): HTMLElement {
  if (!operand || operand.used === null) return h('td');
  const codes = operand.code === null ? null : product(operand.code, operand.scale);
  return h('td', { class: 'n', title: codes }, decimal(operand.used));
}

/** A signed bar about a middle line. */
function barCell(part: number): HTMLElement {
  const bar = h('span', { class: part < 0 ? 'bar minus' : 'bar' });
  bar.style.setProperty('width', `${(Math.abs(part) * 50).toFixed(2)}%`);
  return h('td', { class: 'bars', 'aria-hidden': 'true' }, h('span', { class: 'axis' }, bar));
}

define('hf-breakdown', BreakdownElement);
