// <hf-weights>: paints the large square, with its two controls. Events: hf-stage, hf-scale, hf-select ({row, cell}),
// hf-hover-row (row or null).
import { define, emit, h, shadow, sheet } from '../../ui/dom';
import { paint, place, vectorLayer } from '../../ui/marks/paint';
import { decimal } from '../../ui/numbers';
import { type ScoreStage, scoreStages, weightScales } from '../../ui/screen';
import type { StageId } from '../../ui/state';
import { shared } from '../../ui/theme';
import { shortened, tokenText } from '../../ui/tokens';
import { isBinned, isClosed, type WeightsData } from './data';
import { drawWeights, type WeightsDrawing, type WeightsView } from './drawing';

export type WeightsOptions = Omit<WeightsView, 'width'>;

/** How long one stage takes to become the next, in milliseconds. */
const MORPH = 260;

const own = sheet(`
  .controls { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: baseline; margin-bottom: 4px; }
  .stages { display: flex; gap: 2px; }
  .stages button { padding: 2px 9px; color: var(--ink-soft); border-bottom: 2px solid var(--rule); white-space: nowrap; }
  .stages button:hover { color: var(--ink); }
  .stages button[aria-checked='true'] { color: var(--ink); font-weight: 600; border-color: var(--probability-mark); }
  select { background: none; border: 0; border-bottom: 1px solid var(--rule); color: var(--ink-soft); padding: 2px 0;
    max-width: 100%; }
  :host([terse]) select { display: none; }
  option { background: var(--paper); color: var(--ink); }
  .figure { position: relative; touch-action: pan-y pinch-zoom; }
  .figure svg { position: absolute; inset: 0; overflow: visible; pointer-events: none; display: block; }
  .figure text { font-variant-numeric: tabular-nums; }
  .cells { position: absolute; image-rendering: pixelated; display: block; }
  .square { position: absolute; cursor: crosshair; }
  .tip { position: absolute; pointer-events: none; background: var(--paper); border: 1px solid var(--rule); padding: 1px 7px;
    white-space: nowrap; font-size: 13.5px; font-variant-numeric: tabular-nums; z-index: 1; }
`);

interface Pointed {
  /** In bins. */
  readonly row: number;
  readonly column: number;
}

export class WeightsElement extends HTMLElement {
  readonly #stages = h('div', { class: 'stages', role: 'radiogroup' });
  readonly #scale = h('select');
  readonly #base = h('div');
  readonly #square = h('div', { class: 'square', role: 'application', tabindex: 0 });
  readonly #tip = h('div', { class: 'tip', hidden: true, role: 'status' });
  readonly #figure = h('div', { class: 'figure' }, this.#base, this.#square, this.#tip);
  #data: WeightsData | null = null;
  #options: WeightsOptions | null = null;
  #drawing: WeightsDrawing | null = null;
  #pointed: Pointed | null = null;

  constructor() {
    super();
    const controls = h('div', { class: 'controls' }, this.#stages, this.#scale);
    shadow(this, shared, own).append(controls, this.#figure);
    for (const stage of scoreStages) {
      const button = h('button', { type: 'button', role: 'radio', 'data-stage': stage });
      button.addEventListener('click', () => emit(this, 'hf-stage', stage));
      this.#stages.append(button);
    }
    for (const choice of weightScales) this.#scale.append(h('option', { value: choice }));
    this.#stages.addEventListener('keydown', (event) => this.#step(event));
    this.#scale.addEventListener('change', () => emit(this, 'hf-scale', this.#scale.value));
    this.#square.addEventListener('pointermove', (event) => this.#point(this.#binAt(event)));
    this.#square.addEventListener('pointerleave', () => this.#point(null));
    this.#square.addEventListener('click', (event) => this.#select(this.#binAt(event)));
    this.#square.addEventListener('keydown', (event) => this.#key(event));
    this.#square.addEventListener('blur', () => this.#point(null));
  }

  get drawing(): WeightsDrawing | null {
    return this.#drawing;
  }

  show(data: WeightsData, options: WeightsOptions): void {
    const [before, stage] = [this.#drawing, this.#options?.stage];
    this.#data = data;
    this.#options = options;
    this.toggleAttribute('terse', options.terse);
    this.#pointed = null;
    const drawing = drawWeights(data, { ...options, width: this.clientWidth });
    this.#drawing = drawing;
    const old = this.#base.querySelector('canvas.cells');
    this.#figure.style.setProperty('height', `${drawing.height}px`);
    this.#base.replaceChildren(...paint(drawing, options.palette));
    const { x, y, width, height } = drawing.plan.box;
    place(this.#square, x, y, width, height);
    if (old && before?.plan.box.width === width && stage !== options.stage) this.#morph(old);
    this.#tip.hidden = true;
    this.#label(data, options);
  }

  /** The old picture fades into the new one: every cell passes from its one colour to the other. */
  #morph(old: Element): void {
    const cells = this.#base.querySelector('canvas.cells');
    if (!cells || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    cells.after(old);
    const fade = old.animate([{ opacity: 1 }, { opacity: 0 }], { duration: MORPH, fill: 'forwards' });
    fade.addEventListener('finish', () => old.remove());
  }

  #label({ block, head, tokens }: WeightsData, { words, stage, scale }: WeightsOptions): void {
    const said = words.weights;
    this.#stages.setAttribute('aria-label', said.stagesLabel);
    for (const button of this.#stages.querySelectorAll('button')) {
      const own = button.dataset.stage as ScoreStage;
      button.textContent = said.stages[own];
      button.title = said.says[own];
      button.setAttribute('aria-checked', String(own === stage));
      button.tabIndex = own === stage ? 0 : -1;
    }
    this.#scale.hidden = stage !== 'p';
    this.#scale.setAttribute('aria-label', said.scaleLabel);
    for (const option of this.#scale.options) {
      option.textContent = said.scale[option.value as (typeof weightScales)[number]];
    }
    this.#scale.value = scale;
    this.#square.setAttribute('aria-roledescription', said.role);
    this.#square.setAttribute('aria-label', said.label(said.stages[stage], `${block}.${head}`, tokens.length));
    this.#square.setAttribute('aria-description', said.keys);
  }

  /** Arrow keys walk the stages, as in any group of radio buttons. */
  #step(event: KeyboardEvent): void {
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (way === undefined || !this.#options) return;
    const at = scoreStages.indexOf(this.#options.stage);
    const to = (at + way + scoreStages.length) % scoreStages.length;
    emit(this, 'hf-stage', scoreStages[to]);
    this.#stages.querySelectorAll('button')[to]?.focus();
    event.preventDefault();
  }

  #binAt(event: MouseEvent): Pointed | null {
    if (!this.#drawing?.picture) return null;
    const { rows, columns } = this.#drawing.plan;
    const frame = this.#square.getBoundingClientRect();
    const row = Math.floor(((event.clientY - frame.top) * rows) / frame.height);
    const column = Math.floor(((event.clientX - frame.left) * columns) / frame.width);
    return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
  }

  /** The first query and key of a bin. */
  #cellOf({ row, column }: Pointed): Pointed {
    const [height, width] = this.#drawing?.picture?.binSize ?? [1, 1];
    return { row: (this.#data?.rows[0] ?? 0) + row * height, column: column * width };
  }

  /** Scrolls until a row stands above `end` in the window; false where the square is out of sight. */
  reveal(row: number, end: number): boolean {
    const [data, drawing] = [this.#data, this.#drawing];
    const frame = this.#square.getBoundingClientRect();
    if (!data || !drawing?.picture || frame.bottom <= 0 || frame.top >= innerHeight) return false;
    const height = frame.height / drawing.plan.rows;
    const bin = Math.floor((row - data.rows[0]) / drawing.picture.binSize[0]);
    const bottom = frame.top + (bin + 1) * height;
    if (bottom > end) scrollBy({ top: Math.ceil(bottom - end + 8) });
    return true;
  }

  /** The pointed row owns light, digits and key names; cells stay as they are painted. */
  #point(bin: Pointed | null): void {
    if (bin?.row === this.#pointed?.row && bin?.column === this.#pointed?.column) return;
    const rowBefore = this.#pointed?.row;
    this.#pointed = bin;
    const [data, options, drawing] = [this.#data, this.#options, this.#drawing];
    if (!data || !options || !drawing?.picture) return;
    const cell = bin ? this.#cellOf(bin) : options.cell;
    const shown = bin ? this.#rowData(data, this.#cellOf(bin).row) : data;
    const marks = drawWeights(shown, { ...options, width: this.clientWidth, cell });
    this.#base.querySelector('svg')?.replaceWith(vectorLayer(marks));
    this.#tell(bin, data, drawing, options);
    if (bin?.row !== rowBefore) emit(this, 'hf-hover-row', bin ? this.#cellOf(bin).row : null);
  }

  /** Another row's own weights are in the picture, unless its cells hold several numbers. */
  #rowData(data: WeightsData, row: number): WeightsData {
    const p = data.pictures.get('p');
    if (!p || isBinned(p)) return data;
    const columns = p.shape[1];
    const at = row - data.rows[0];
    return { ...data, row, weights: p.data.slice(at * columns, (at + 1) * columns) };
  }

  #tell(
    bin: Pointed | null,
    data: WeightsData,
    { picture, plan }: WeightsDrawing,
    { words, stage }: WeightsOptions,
  ): void {
    this.#tip.hidden = !bin;
    if (!bin || !picture) return;
    const { row, column } = this.#cellOf(bin);
    const name = (index: number, size: number): string => {
      const token = data.tokens[index];
      return size === 1 && token ? `${shortened(tokenText(token), 14)} (${index})` : `${index}–${index + size - 1}`;
    };
    const [height, width] = picture.binSize;
    const closed = isClosed(data, picture, bin.row, bin.column) && (stage === 'masked' || stage === 'p');
    const value = picture.data[bin.row * picture.shape[1] + bin.column] ?? Number.NaN;
    const written = closed ? words.weights.closed : decimal(value);
    this.#tip.textContent = words.weights.tip(name(row, height), name(column, width), written);
    const right = bin.column >= plan.columns / 2;
    const x = plan.box.x + (bin.column + (right ? 0 : 1)) * plan.cell[0];
    place(this.#tip, 0, plan.box.y + (bin.row + 1) * plan.cell[1] + 4);
    const { offsetWidth } = this.#tip;
    const left = right ? x - offsetWidth : x;
    this.#tip.style.setProperty('left', `${Math.max(0, Math.min(plan.width - offsetWidth, left))}px`);
  }

  #select(bin: Pointed | null): void {
    if (!bin || !this.#options) return;
    const { row, column } = this.#cellOf(bin);
    const stage: StageId = this.#options.stage === 'lessMaximum' ? 'masked' : this.#options.stage;
    emit(this, 'hf-select', { row, cell: { stage, row, column } });
  }

  #key(event: KeyboardEvent): void {
    const [data, drawing] = [this.#data, this.#drawing];
    if (!data || !drawing?.picture) return;
    const { rows, columns } = drawing.plan;
    const start = Math.floor((data.row - data.rows[0]) / drawing.picture.binSize[0]);
    const at = this.#pointed ?? { row: Math.max(0, Math.min(rows - 1, start)), column: 0 };
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      Home: [0, -columns],
      End: [0, columns],
    };
    const move = moves[event.key];
    const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
    if (move) this.#point({ row: clamp(at.row + move[0], rows), column: clamp(at.column + move[1], columns) });
    else if (event.key === 'Enter' || event.key === ' ') this.#select(at);
    else if (event.key === 'Escape') emit(this, 'hf-select', { row: null, cell: null });
    else return;
    event.preventDefault();
  }
}

define('hf-weights', WeightsElement);
