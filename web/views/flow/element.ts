// <hf-flow>: paints the flow's drawing and answers pointer and keyboard. It holds no state but what is pointed at.
import type { Line } from '../../engine/explanation';
import type { Palette } from '../../ui/colour/palette';
import { define, emit, h, shadow } from '../../ui/dom';
import type { Drawing } from '../../ui/marks/marks';
import { paint, place, vectorLayer } from '../../ui/marks/paint';
import type { CellPlace, StageId } from '../../ui/state';
import { shared } from '../../ui/theme';
import type { Words } from '../../ui/words/words';
import type { FlowData } from './data';
import { type DrawnTensor, drawFlow, drawnTensors, type FlowDrawing, litRow, rowMarks } from './drawing';
import type { Layout } from './layout';
import { lightMarks } from './light';
import { Overlay } from './overlay';
import { drawPending } from './pending';
import { readCell, toBins, toCells } from './reading';
import { flowSheet } from './styles';

export interface FlowOptions {
  readonly palette: Palette;
  readonly words: Words;
  readonly names: boolean;
  readonly withoutFirstKey: boolean;
  readonly fitWeights: boolean;
  readonly cell: CellPlace | null;
  /** The operands of the number that is explained, or null. */
  readonly operands: readonly Line[] | null;
}

/** Width of what stands beside the second band, and the space before it. */
const ASIDE = 300;
const ASIDE_GAP = 56;

const same = (a: CellPlace | null, b: CellPlace | null): boolean =>
  a?.stage === b?.stage && a?.row === b?.row && a?.column === b?.column;

/** A number that the event's target carries as a data attribute. */
function carried(event: Event, name: string): number | null {
  const [target] = event.composedPath();
  const text = target instanceof HTMLElement ? target.getAttribute(`data-${name}`) : null;
  return text === null ? null : Number(text);
}

export class FlowElement extends HTMLElement {
  readonly #figure = h('div', { class: 'figure', part: 'figure' });
  readonly #base = h('div');
  readonly #light = h('div');
  readonly #aside = h('div', { class: 'aside' }, h('slot', { name: 'aside' }));
  readonly #overlay = new Overlay({
    key: (stage, event) => this.#key(stage, event),
    focus: (stage) => this.#enter(stage),
    blur: () => this.#leave(),
  });
  #data: FlowData | null = null;
  #options: FlowOptions | null = null;
  #drawing: FlowDrawing | null = null;
  /** The bin under the pointer or the keyboard's cursor. */
  #pointed: CellPlace | null = null;
  /** The row of bins whose label is pointed at. */
  #pointedRow: number | null = null;

  constructor() {
    super();
    this.#figure.append(this.#base, this.#light, this.#overlay.element);
    shadow(this, shared, flowSheet).append(this.#figure, this.#aside);
    this.#figure.addEventListener('pointermove', (event) => this.#point(this.#binAt(event), carried(event, 'row')));
    this.#figure.addEventListener('pointerleave', () => this.#point(null, null));
    this.#figure.addEventListener('click', (event) => this.#choose(event));
  }

  /** The width that is kept free beside the second band. */
  get aside(): number {
    return ASIDE + ASIDE_GAP;
  }

  get drawing(): FlowDrawing | null {
    return this.#drawing;
  }

  /** The numbers that are drawn, tensor by tensor. */
  drawingData(): readonly DrawnTensor[] {
    return this.#drawing && this.#data ? drawnTensors(this.#drawing, this.#data) : [];
  }

  show(data: FlowData, options: FlowOptions): void {
    this.#data = data;
    this.#options = options;
    const drawing = drawFlow(data, { ...options, width: this.clientWidth, aside: this.aside });
    this.#drawing = drawing;
    this.#figure.style.setProperty('height', `${drawing.height}px`);
    const row = new Set(drawing.row);
    const marks = drawing.marks.filter((mark) => !row.has(mark));
    this.#base.replaceChildren(...paint({ ...drawing, marks }, options.palette));
    this.#overlay.element.hidden = false;
    this.#overlay.update(drawing, data, options.words);
    this.#placeAside(drawing);
    this.#relight();
    this.#announce();
  }

  /** Outlines of what will be there; a figure that is already drawn stays instead. */
  showPending(layout: Layout, block: number, head: number, { palette, words }: FlowOptions): void {
    if (!this.#drawing) this.#outline(drawPending(layout, block, head, words.pickers.notComputed, palette), palette);
  }

  /** Nothing is drawn any more: what was belongs to another model. */
  clear(): void {
    this.#data = null;
    this.#drawing = null;
    this.#pointed = null;
    this.#light.replaceChildren();
    this.#overlay.element.hidden = true;
    this.#base.replaceChildren();
  }

  /** Outlines instead of what is drawn, which is not what is chosen: that is not loaded. */
  showAbsent(layout: Layout, block: number, head: number, { palette, words }: FlowOptions): void {
    this.clear();
    this.#outline(drawPending(layout, block, head, words.pickers.notLoaded, palette), palette);
  }

  #outline(drawing: Drawing, palette: Palette): void {
    this.#figure.style.setProperty('height', `${drawing.height}px`);
    this.#base.replaceChildren(...paint(drawing, palette));
  }

  #placeAside(drawing: FlowDrawing): void {
    const line = drawing.layout.lines.at(-1);
    const beside = drawing.layout.form === 'wide' && line !== undefined;
    this.#aside.classList.toggle('beside', beside);
    if (beside) place(this.#aside, drawing.width - ASIDE, line.top, ASIDE);
    else for (const property of ['left', 'top', 'width']) this.#aside.style.removeProperty(property);
  }

  #relight(): void {
    const [data, options, drawing] = [this.#data, this.#options, this.#drawing];
    if (!data || !options || !drawing) return;
    const selected = options.cell ? toBins(data, options.cell) : null;
    const lit = litRow(data);
    const row = this.#pointed?.row ?? this.#pointedRow ?? lit;
    const { palette } = options;
    const lines = !this.#pointed || same(this.#pointed, selected) ? options.operands : null;
    const marks = lightMarks(drawing, { row, cell: this.#pointed ?? selected, lines }, data, palette);
    marks.push(...(row === lit ? drawing.row : rowMarks(drawing, data, row, palette)));
    const { width, height } = drawing;
    this.#light.replaceChildren(vectorLayer({ width, height, marks }));
  }

  #point(cell: CellPlace | null, row: number | null): void {
    if (same(cell, this.#pointed) && row === this.#pointedRow) return;
    this.#pointed = cell;
    this.#pointedRow = row;
    this.#relight();
    this.#announce();
  }

  #announce(): void {
    const [data, options] = [this.#data, this.#options];
    if (!data || !options) return;
    const cell = this.#pointed ?? (options.cell ? toBins(data, options.cell) : null);
    emit(this, 'hf-point', cell ? readCell(data, cell, options.words) : null);
  }

  #binAt(event: MouseEvent): CellPlace | null {
    const frame = this.#figure.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const box = this.#drawing?.tensors.find(
      (one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height,
    );
    if (!box) return null;
    const row = Math.floor(((y - box.y) * box.rows) / box.height);
    const column = Math.floor(((x - box.x) * box.columns) / box.width);
    return { stage: box.id, row, column };
  }

  #choose(event: MouseEvent): void {
    if (!this.#data) return;
    const [head, row, bin] = [carried(event, 'head'), carried(event, 'row'), this.#binAt(event)];
    if (head !== null) emit(this, 'hf-head', head);
    else if (bin) this.#select(bin);
    else if (row !== null) {
      const { row: token } = toCells(this.#data, { stage: 'z', row, column: 0 });
      emit(this, 'hf-select', { row: token, cell: null });
    }
  }

  #select(bin: CellPlace): void {
    if (!this.#data) return;
    const cell = toCells(this.#data, bin);
    emit(this, 'hf-select', { row: cell.row, cell });
  }

  /** The keyboard's cursor starts at the selected cell, else in the lit row. */
  #cursor(stage: StageId): CellPlace {
    if (this.#pointed?.stage === stage) return this.#pointed;
    const [data, cell] = [this.#data, this.#options?.cell];
    const selected = data && cell?.stage === stage ? toBins(data, cell) : null;
    return selected ?? { stage, row: data ? Math.max(0, litRow(data)) : 0, column: 0 };
  }

  /** A press brings the focus too, but the pointer says where it is. */
  #enter(stage: StageId): void {
    if (!this.#figure.matches(':active')) this.#point(this.#cursor(stage), null);
  }

  #leave(): void {
    if (!this.#figure.matches(':active')) this.#point(null, null);
  }

  /** Where the cell that is read stands in the window; null while none is. */
  get readFrame(): DOMRect | null {
    const selected = this.#data && this.#options?.cell ? toBins(this.#data, this.#options.cell) : null;
    return this.#frame(this.#pointed ?? selected);
  }

  /** `bin` counts in bins of the drawn picture. */
  #frame(bin: CellPlace | null): DOMRect | null {
    const box = bin && this.#drawing?.tensors.find(({ id }) => id === bin.stage);
    if (!bin || !box) return null;
    const { left, top } = this.#figure.getBoundingClientRect();
    const [width, height] = [box.width / box.columns, box.height / box.rows];
    return new DOMRect(left + box.x + bin.column * width, top + box.y + bin.row * height, width, height);
  }

  /** Scrolls until the cell stands above what covers the window from `end` on; false where it is not drawn yet. */
  reveal(cell: CellPlace, end: number): boolean {
    const frame = this.#frame(this.#data && toBins(this.#data, cell));
    if (!frame) return false;
    if (frame.top < 0 || frame.bottom > end) scrollBy({ top: frame.top + frame.height / 2 - end / 2 });
    return true;
  }

  /** Scrolls until a tensor stands in the middle of the window. */
  look(stage: StageId): void {
    const tensor = this.#drawing?.tensors.find(({ id }) => id === stage);
    if (!tensor) return;
    const { y, height } = tensor;
    scrollBy({ top: this.getBoundingClientRect().top + y + height / 2 - innerHeight / 2 });
  }

  /** Puts the keyboard into a tensor. */
  focusTensor(stage: StageId): void {
    this.#overlay.focus(stage);
  }

  #key(stage: StageId, event: KeyboardEvent): void {
    const box = this.#drawing?.tensors.find(({ id }) => id === stage);
    if (!box) return;
    const at = this.#cursor(stage);
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-8, 0],
      PageDown: [8, 0],
      Home: [0, -box.columns],
      End: [0, box.columns],
    };
    const move = moves[event.key];
    if (move) {
      const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
      const row = clamp(at.row + move[0], box.rows);
      this.#point({ stage, row, column: clamp(at.column + move[1], box.columns) }, null);
    } else if (event.key === 'Enter' || event.key === ' ') this.#select(at);
    else if (event.key === 'Escape') emit(this, 'hf-select', { row: null, cell: null });
    else return;
    event.preventDefault();
  }
}

define('hf-flow', FlowElement);
