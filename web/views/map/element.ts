// <hf-map>: paints the map of all heads. Events: hf-hover-head ({block, head} or null), hf-focus-head, hf-toggle-head.
import type { Palette } from '../../ui/colour/palette';
import { define, emit, h, shadow, sheet } from '../../ui/dom';
import type { CellsMark } from '../../ui/marks/marks';
import { paintCells, place, vectorLayer } from '../../ui/marks/paint';
import { shared } from '../../ui/theme';
import { drawMap, type HeadPlace, headSays, type MapData, type MapDrawing, type MapView } from './drawing';
import { cellBox } from './plan';

export type MapOptions = Omit<MapView, 'width'>;

const own = sheet(`
  .figure { position: relative; }
  .figure:focus-visible { outline-offset: 6px; }
  .figure svg { position: absolute; inset: 0; overflow: visible; pointer-events: none; display: block; }
  .figure text { font-variant-numeric: tabular-nums; }
  .cells { position: absolute; image-rendering: pixelated; display: block; }
  .cell { position: absolute; cursor: pointer; }
  .pointed { position: absolute; pointer-events: none; outline: 1.5px solid var(--ink); outline-offset: 1px; }
  .tip { position: absolute; pointer-events: none; background: var(--paper); border: 1px solid var(--rule); padding: 1px 7px;
    white-space: nowrap; font-size: 13.5px; font-variant-numeric: tabular-nums; z-index: 1; }
  .blocks { display: flex; flex-wrap: wrap; gap: 2px 4px; margin-bottom: 6px; }
  .blocks button { padding: 4px 8px; color: var(--ink-soft); border-bottom: 2px solid var(--rule); }
  .blocks button[aria-pressed='true'] { color: var(--ink); font-weight: 600; border-color: var(--probability-mark); }
`);

interface Painted {
  readonly mark: CellsMark;
  readonly palette: Palette;
  readonly canvas: HTMLCanvasElement;
}

const keyOf = ({ block, head }: HeadPlace): string => `${block}.${head}`;

/** Whether a painted thumbnail shows what a mark says, in the same colours. */
const unchanged = ({ mark, palette }: Painted, now: CellsMark, wanted: Palette): boolean =>
  mark.values === now.values && mark.scale.limit === now.scale.limit && palette === wanted;

export class MapElement extends HTMLElement {
  readonly #blocks = h('div', { class: 'blocks' });
  readonly #thumbnails = h('div');
  readonly #lines = h('div');
  readonly #cells = h('div', { role: 'row' });
  readonly #pointer = h('div', { class: 'pointed', hidden: true });
  readonly #tip = h('div', { class: 'tip', hidden: true });
  readonly #figure = h('div', { class: 'figure', role: 'grid', tabindex: 0 });
  readonly #painted = new Map<string, Painted>();
  readonly #places = new Map<Element, HeadPlace>();
  #data: MapData | null = null;
  #options: MapOptions | null = null;
  #drawing: MapDrawing | null = null;
  /** Under the pointer, or where the arrow keys are. */
  #pointed: HeadPlace | null = null;

  constructor() {
    super();
    this.#figure.append(this.#thumbnails, this.#lines, this.#cells, this.#pointer, this.#tip);
    shadow(this, shared, own).append(this.#blocks, this.#figure);
    this.#cells.addEventListener('pointerover', (event) => this.#point(this.#at(event)));
    this.#cells.addEventListener('pointerleave', () => this.#point(null));
    this.#cells.addEventListener('click', (event) => this.#focusHead(this.#at(event)));
    this.#figure.addEventListener('keydown', (event) => this.#key(event));
    this.#figure.addEventListener('blur', () => this.#point(null));
  }

  get drawing(): MapDrawing | null {
    return this.#drawing;
  }

  show(data: MapData, options: MapOptions): void {
    const moved = this.#drawing?.plan;
    const drawing = drawMap(data, { ...options, width: this.clientWidth });
    this.#data = data;
    this.#options = options;
    this.#drawing = drawing;
    this.#figure.style.setProperty('height', `${drawing.height}px`);
    this.#figure.setAttribute('aria-label', options.words.map.label);
    this.#figure.setAttribute('aria-description', options.words.map.keys);
    this.#paint(drawing, options.palette);
    const marks = drawing.marks.filter(({ kind }) => kind !== 'cells');
    this.#lines.replaceChildren(vectorLayer({ ...drawing, marks }));
    if (JSON.stringify(moved) !== JSON.stringify(drawing.plan)) this.#layCells(drawing);
    for (const [element, at] of this.#places) element.setAttribute('aria-label', headSays(data, at, options.words));
    this.#choices(data, drawing, options);
    this.#outline();
  }

  /** Only thumbnails whose numbers or colours changed are painted. */
  #paint({ thumbnails }: MapDrawing, palette: Palette): void {
    const wanted = new Set(thumbnails.map((one) => keyOf(one.place)));
    for (const [key, { canvas }] of this.#painted) {
      if (wanted.has(key)) continue;
      canvas.remove();
      this.#painted.delete(key);
    }
    for (const { place: at, mark } of thumbnails) {
      const known = this.#painted.get(keyOf(at));
      if (known && unchanged(known, mark, palette)) {
        place(known.canvas, mark.x, mark.y, mark.width, mark.height);
        continue;
      }
      const canvas = paintCells(mark, palette);
      if (known) known.canvas.replaceWith(canvas);
      else this.#thumbnails.append(canvas);
      this.#painted.set(keyOf(at), { mark, palette, canvas });
    }
  }

  #layCells({ plan }: MapDrawing): void {
    this.#places.clear();
    for (const block of plan.blocks) {
      for (let head = 0; head < plan.heads; head++) {
        const box = cellBox(plan, block, head);
        if (!box) continue;
        const element = h('div', { class: 'cell', role: 'gridcell', id: `head-${block}-${head}` });
        place(element, box.x - 2, box.y - 2, plan.cell + 4, plan.step);
        this.#places.set(element, { block, head });
      }
    }
    this.#cells.replaceChildren(...this.#places.keys());
  }

  /** Where one block is shown, the others are chosen here. */
  #choices({ cells, focus }: MapData, { plan }: MapDrawing, { words }: MapOptions): void {
    this.#blocks.hidden = plan.blocks.length === cells.length;
    const buttons = cells.map((_, block) => {
      const pressed = String(block === focus.block);
      const button = h('button', { type: 'button', 'aria-pressed': pressed }, `${words.map.block} ${block}`);
      button.addEventListener('click', () => this.#focusHead({ block, head: focus.head }));
      return button;
    });
    this.#blocks.replaceChildren(...(this.#blocks.hidden ? [] : buttons));
  }

  #at(event: Event): HeadPlace | null {
    for (const target of event.composedPath()) {
      const found = target instanceof Element ? this.#places.get(target) : undefined;
      if (found) return found;
    }
    return null;
  }

  /** Moves an outline and a line of text: no cell is painted. */
  #point(at: HeadPlace | null): void {
    if (at?.block === this.#pointed?.block && at?.head === this.#pointed?.head) return;
    this.#pointed = at;
    this.#outline();
    emit(this, 'hf-hover-head', at);
  }

  #outline(): void {
    const [at, data, options, drawing] = [this.#pointed, this.#data, this.#options, this.#drawing];
    const box = at && drawing ? cellBox(drawing.plan, at.block, at.head) : null;
    this.#pointer.hidden = !box;
    this.#tip.hidden = !box;
    if (!at || !box || !data || !options) {
      this.#figure.removeAttribute('aria-activedescendant');
      return;
    }
    this.#figure.setAttribute('aria-activedescendant', `head-${at.block}-${at.head}`);
    place(this.#pointer, box.x, box.y, box.width, box.height);
    this.#tip.textContent = headSays(data, at, options.words);
    place(this.#tip, 0, box.y + box.height + 10);
    const most = Math.max(0, this.clientWidth - this.#tip.offsetWidth);
    this.#tip.style.setProperty('left', `${Math.min(box.x, most)}px`);
  }

  #focusHead(at: HeadPlace | null): void {
    if (at) emit(this, 'hf-focus-head', at);
  }

  #key(event: KeyboardEvent): void {
    const data = this.#data;
    if (!data) return;
    const at = this.#pointed ?? data.focus;
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const move = moves[event.key];
    const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
    if (move) {
      const block = clamp(at.block + move[0], data.cells.length);
      const to = { block, head: clamp(at.head + move[1], data.cells[block]?.length ?? 1) };
      if (this.#drawing?.plan.blocks.includes(block)) this.#point(to);
      else this.#focusHead(to);
    } else if (event.key === 'Enter' || event.key === ' ') this.#focusHead(at);
    else if (event.key === 'x' || event.key === 'X') emit(this, 'hf-toggle-head', at);
    else if (event.key === 'Escape') this.#point(null);
    else return;
    event.preventDefault();
  }
}

define('hf-map', MapElement);
