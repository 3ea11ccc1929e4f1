// <hf-flow>: paints the flow's drawing and answers pointer and keyboard. It holds no state but what is pointed at.
import type { Palette } from '../../ui/colour/palette';
import { define, emit, h, shadow } from '../../ui/dom';
import { plain } from '../../ui/marks/math';
import { paint, place, vectorLayer } from '../../ui/marks/paint';
import type { CellPlace, StageId } from '../../ui/state';
import { shared } from '../../ui/theme';
import type { Words } from '../../ui/words/words';
import type { FlowData } from './data';
import { drawFlow, type FlowDrawing, litRow } from './drawing';
import { rowLabel, rowLabelMark } from './labels';
import type { StageBox } from './layout';
import { lightMarks } from './light';
import { readCell, toBins, toCells } from './reading';
import { stageSymbol } from './stages';
import { flowSheet } from './styles';

export interface FlowOptions {
  readonly palette: Palette;
  readonly words: Words;
  readonly names: boolean;
  readonly withoutFirstKey: boolean;
  readonly cell: CellPlace | null;
}

/** Width of what stands beside the second band, and the space before it. */
const ASIDE = 300;
const ASIDE_GAP = 56;

export class FlowElement extends HTMLElement {
  readonly #figure = h('div', { class: 'figure', part: 'figure' });
  readonly #base = h('div', { class: 'base' });
  readonly #light = h('div', { class: 'light' });
  readonly #tensors = h('div', { class: 'tensors' });
  readonly #aside = h('div', { class: 'aside' }, h('slot', { name: 'aside' }));
  #data: FlowData | null = null;
  #options: FlowOptions | null = null;
  #drawing: FlowDrawing | null = null;
  /** The bin under the pointer or the keyboard's cursor. */
  #pointed: CellPlace | null = null;

  constructor() {
    super();
    this.#figure.append(this.#base, this.#light, this.#tensors);
    shadow(this, shared, flowSheet).append(this.#figure, this.#aside);
    this.#figure.addEventListener('pointermove', (event) => this.#point(event));
    this.#figure.addEventListener('pointerleave', () => this.#setPointed(null));
    this.#figure.addEventListener('click', (event) => this.#choose(event));
  }

  /** What is kept free beside the second band. */
  get aside(): number {
    return ASIDE + ASIDE_GAP;
  }

  get drawing(): FlowDrawing | null {
    return this.#drawing;
  }

  /** The drawing's own data, stage by stage: what a test compares with the command's dump. */
  drawingData(): {
    stage: StageId;
    node: string;
    head: number;
    rows: readonly number[];
    columns: readonly number[];
    shape: readonly number[];
    binSize: readonly number[];
    values: Float32Array;
  }[] {
    const marks = this.#drawing?.marks.filter((mark) => mark.kind === 'cells') ?? [];
    return [...(this.#data?.parts.values() ?? [])].flatMap(({ stage, region, picture }) => {
      const mark = marks.find(({ values }) => values === picture.data);
      if (!mark) return [];
      const { node, head, rows, columns } = region;
      return [
        { stage, node, head, rows, columns, shape: picture.shape, binSize: picture.binSize, values: mark.values },
      ];
    });
  }

  show(data: FlowData, options: FlowOptions): void {
    this.#data = data;
    this.#options = options;
    this.#draw();
  }

  #draw(): void {
    const [data, options] = [this.#data, this.#options];
    if (!data || !options) return;
    const drawing = drawFlow(data, { ...options, width: this.clientWidth, aside: this.aside });
    this.#drawing = drawing;
    this.#figure.style.setProperty('height', `${drawing.height}px`);
    this.#base.replaceChildren(...paint(drawing, options.palette, 'hatch'));
    this.#placeTensors(drawing, data, options);
    this.#placeAside(drawing);
    this.#relight();
  }

  /** One focusable element over each tensor, kept across drawings so that focus stays. */
  #placeTensors(drawing: FlowDrawing, data: FlowData, options: FlowOptions): void {
    const wanted: HTMLElement[] = [];
    for (const box of drawing.tensors) {
      const known = this.#tensors.querySelector<HTMLElement>(`[data-stage="${box.id}"]`);
      const element = known ?? this.#makeTensor(box.id);
      const symbol = plain(stageSymbol(box.id, data.block, data.head));
      const { stages, tensor } = options.words;
      element.setAttribute('aria-roledescription', tensor.role);
      element.setAttribute('aria-label', tensor.label(stages[box.id], symbol, box.rows, box.columns));
      place(element, box.x, box.y, box.width, box.height);
      wanted.push(element, ...this.#cards(box, data, options));
    }
    wanted.push(...this.#tokenButtons(drawing, data, options));
    const same = wanted.every((element, index) => this.#tensors.children[index] === element);
    if (!same || wanted.length !== this.#tensors.children.length) {
      const focused = this.shadowRoot?.activeElement;
      this.#tensors.replaceChildren(...wanted);
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
    }
  }

  #makeTensor(id: StageId): HTMLElement {
    return h('div', {
      class: 'tensor',
      role: 'application',
      tabindex: 0,
      'data-stage': id,
      onkeydown: (event: KeyboardEvent) => this.#key(id, event),
      onfocus: () => this.#focusTensor(id),
      onblur: () => this.#setPointed(null),
    });
  }

  /** The deck's cards: each brings its head to the front. */
  #cards(box: StageBox, data: FlowData, options: FlowOptions): HTMLElement[] {
    if (box.deck === 0 || data.shape.heads < 2) return [];
    const step = (box.deck - 3) / (data.shape.heads - 1);
    const others = Array.from({ length: data.shape.heads }, (_, head) => head).filter((head) => head !== data.head);
    return others.map((head, index) => {
      const title = options.words.pickers.head(head);
      const card = h('div', { class: 'card', title, 'data-head': head, 'aria-hidden': 'true' });
      place(card, box.x + box.width + 3 + index * step, box.y, step, box.height);
      return card;
    });
  }

  #tokenButtons(drawing: FlowDrawing, data: FlowData, options: FlowOptions): HTMLElement[] {
    const [line] = drawing.layout.lines;
    if (!line) return [];
    return drawing.layout.lines
      .flatMap((line, index) =>
        Array.from({ length: drawing.layout.rowBins }, (_, row) => {
          const button = h('div', { class: 'token', 'data-row': row, 'aria-hidden': 'true' });
          if (index === 0) button.setAttribute('title', rowLabel(data, row));
          const { rowHeight, labelRight } = drawing.layout;
          place(button, 0, line.rowsTop + row * rowHeight, labelRight + 6, rowHeight);
          return button;
        }),
      )
      .filter(() => options !== null);
  }

  #placeAside(drawing: FlowDrawing): void {
    const line = drawing.layout.lines.at(-1);
    const beside = drawing.layout.form === 'wide' && line !== undefined;
    this.#aside.classList.toggle('beside', beside);
    if (!line) return;
    if (beside) {
      place(this.#aside, drawing.width - ASIDE, line.top, ASIDE);
      this.#figure.append(this.#aside);
    } else this.shadowRoot?.append(this.#aside);
  }

  #relight(): void {
    const [data, options, drawing] = [this.#data, this.#options, this.#drawing];
    if (!data || !options || !drawing) return;
    const selected = options.cell ? toBins(data, options.cell) : null;
    const cell = this.#pointed ?? selected;
    const row = this.#pointed ? this.#pointed.row : litRow(data);
    const { palette } = options;
    const layout = {
      ...drawing.layout,
      lines: drawing.layout.lines.map((line) => ({
        ...line,
        boxes: line.boxes.map((box) => drawing.tensors.find(({ id }) => id === box.id) ?? box),
      })),
    };
    const marks = lightMarks(layout, { row, cell }, data.shape, data.head, palette);
    if (row >= 0 && row !== litRow(data)) {
      for (const line of layout.lines) marks.push(rowLabelMark(line, layout, data, row, palette, true));
    }
    const { width, height } = drawing;
    this.#light.replaceChildren(vectorLayer({ width, height, marks }, 'hatch-light'));
  }

  #setPointed(cell: CellPlace | null): void {
    const before = this.#pointed;
    if (before?.stage === cell?.stage && before?.row === cell?.row && before?.column === cell?.column) return;
    this.#pointed = cell;
    this.#relight();
    this.#announce();
  }

  #announce(): void {
    const [data, options] = [this.#data, this.#options];
    if (!data || !options) return;
    const cell = this.#pointed ?? (options.cell ? toBins(data, options.cell) : null);
    emit(this, 'hf-point', cell ? readCell(data, cell, options.words) : null);
  }

  #boxAt(event: MouseEvent): CellPlace | null {
    const frame = this.#figure.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const box = this.#drawing?.tensors.find(
      (one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height,
    );
    if (!box) return null;
    const row = Math.min(box.rows - 1, Math.floor(((y - box.y) * box.rows) / box.height));
    const column = Math.min(box.columns - 1, Math.floor(((x - box.x) * box.columns) / box.width));
    return { stage: box.id, row, column };
  }

  #point(event: PointerEvent): void {
    const cell = this.#boxAt(event);
    const row = this.#rowOf(event);
    this.#setPointed(cell ?? (row === null ? null : { stage: 'z', row, column: -1 }));
  }

  #rowOf(event: Event): number | null {
    const [target] = event.composedPath();
    const row = target instanceof HTMLElement ? target.getAttribute('data-row') : null;
    return row === null ? null : Number(row);
  }

  #choose(event: MouseEvent): void {
    const data = this.#data;
    if (!data) return;
    const [target] = event.composedPath();
    const head = target instanceof HTMLElement ? target.getAttribute('data-head') : null;
    if (head !== null) return emit(this, 'hf-head', Number(head));
    const row = this.#rowOf(event);
    const cell = this.#boxAt(event);
    if (cell) this.#select(cell);
    else if (row !== null)
      emit(this, 'hf-select', { row: toCells(data, { stage: 'z', row, column: 0 }).row, cell: null });
  }

  #select(bin: CellPlace): void {
    if (!this.#data) return;
    const cell = toCells(this.#data, bin);
    emit(this, 'hf-select', { row: cell.row, cell });
  }

  #focusTensor(id: StageId): void {
    if (this.#pointed?.stage === id || !this.#data) return;
    const row = Math.max(0, litRow(this.#data));
    this.#setPointed({ stage: id, row, column: 0 });
  }

  #key(id: StageId, event: KeyboardEvent): void {
    const box = this.#drawing?.tensors.find((one) => one.id === id);
    if (!box) return;
    const at = this.#pointed?.stage === id ? this.#pointed : { stage: id, row: 0, column: 0 };
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
      this.#setPointed({
        stage: id,
        row: clamp(at.row + move[0], box.rows),
        column: clamp(at.column + move[1], box.columns),
      });
    } else if (event.key === 'Enter' || event.key === ' ') this.#select(at);
    else if (event.key === 'Escape') emit(this, 'hf-select', { row: null, cell: null });
    else return;
    event.preventDefault();
  }
}

define('hf-flow', FlowElement);
