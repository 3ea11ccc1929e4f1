// What stands under the tensors, as a quiet table: symbol, words, shape, names on request, and the legend of each scale.
import type { AxisName } from '../../engine/api';
import type { Palette } from '../../ui/colour/palette';
import type { Scale } from '../../ui/colour/scale';
import type { Mark, TextMark, Typeface } from '../../ui/marks/marks';
import { type Maths, mi, mn, mo, row, sub } from '../../ui/marks/math';
import { brokenRuns, mathsWidth, textWidth } from '../../ui/marks/measure';
import { brief } from '../../ui/numbers';
import type { StageId } from '../../ui/state';
import type { Words } from '../../ui/words/words';
import { type FlowData, type FlowPart, logicalShape } from './data';
import type { Layout, Line, StageBox } from './layout';
import { scaleGroups } from './scales';
import { nodeName, stageSpec, stageSymbol } from './stages';
import { isMasked } from './tensors';

interface CaptionContext {
  readonly data: FlowData;
  readonly scales: ReadonlyMap<StageId, Scale>;
  readonly words: Words;
  readonly palette: Palette;
  readonly names: boolean;
}

const SMALL = 12.5;
const LINE = 16;
const TITLE = 13.5;

const axisMaths = (axis: AxisName): Maths => {
  if (axis === '3D') return row(mn(3), mi('D'));
  if (axis === 'D_h') return sub(mi('D'), mi('h'));
  return mi(axis === 'keys' ? 'T' : axis);
};

const list = (parts: readonly Maths[]): Maths =>
  row(mo('['), ...parts.flatMap((part, index) => (index === 0 ? [part] : [mo(','), part])), mo(']'));

/** "[T, 3D] = [9, 2304]" */
function shapeMaths(axes: readonly AxisName[], data: FlowData): Maths {
  return row(list(axes.map(axisMaths)), mo('='), list(logicalShape(axes, data.shape).map(mn)));
}

/** The shape of what is drawn: of one head where the node has a tensor per head. */
const drawnAxes = (id: StageId): readonly AxisName[] => {
  const { axes, perHead } = stageSpec(id);
  return perHead ? axes.slice(1) : axes;
};

const leads = (line: Line, box: StageBox): boolean => line.boxes.find((other) => other.group === box.group) === box;

/** The ggml shape, contiguous axis first, in the field's own brackets. */
function ggmlText(id: StageId, context: CaptionContext): string {
  const { model, shape } = context.data;
  const node = model.nodes.find(({ name, suffix }) => name === stageSpec(id).node && suffix === '');
  return node ? `{${logicalShape(node.ggmlAxes, shape).join(', ')}}` : '';
}

/** Stages under which the scale is printed: the first of its group in the line. */
function ownsLegend(line: Line, box: StageBox): boolean {
  const group = scaleGroups.find((ids) => ids.includes(box.id)) ?? [];
  return line.boxes.find((other) => group.includes(other.id)) === box;
}

/** Writes one column of the table; the last column hangs from the right edge where it is too narrow for its words. */
class Column {
  readonly marks: Mark[] = [];
  readonly #x: number;
  readonly #anchor: 'start' | 'end';
  readonly #room: number;

  constructor(box: StageBox, line: Line, next: StageBox | undefined, layout: Layout) {
    const last = line.boxes.at(-1);
    const hangs = (one: StageBox | undefined): boolean =>
      one !== undefined && one === last && one.x + ROOM > layout.width;
    const end = next ? Math.min(next.x, hangs(next) ? layout.width - HANGING : next.x) : layout.width + 8;
    const before = line.boxes.at(-2);
    this.#anchor = hangs(box) ? 'end' : 'start';
    this.#x = hangs(box) ? layout.width : box.x;
    // Two neighbours' words of one length have to stand side by side.
    this.#room = hangs(box) ? (layout.width - (before?.x ?? 0) - 8) / 2 : end - box.x - 8;
  }

  /** Whether so much text stays clear of the next stage and of the edge. */
  fits(text: string, size: number, face: Typeface = 'sans'): boolean {
    return textWidth(text, size, face) <= this.#room;
  }

  fitsMaths(maths: Maths, size: number): boolean {
    return mathsWidth(maths, size) <= this.#room;
  }

  /** A title in one line or two; none where even two are too narrow for its words. */
  titled(title: string): string[] {
    const lines = brokenRuns([{ text: title }], TITLE, this.#room).map(([run]) => run?.text ?? '');
    return lines.length <= 2 && lines.every((line) => this.fits(line, TITLE)) ? lines : [];
  }

  text(y: number, text: string, colour: string, more: Partial<TextMark> = {}): void {
    const runs = [{ text }];
    this.marks.push({
      kind: 'text',
      x: this.#x,
      y,
      runs,
      size: SMALL,
      face: 'sans',
      colour,
      anchor: this.#anchor,
      ...more,
    });
  }

  maths(y: number, maths: Maths, size: number, colour: string): void {
    this.marks.push({ kind: 'maths', x: this.#x, y, maths, size, colour, anchor: this.#anchor });
  }

  ramp(y: number, width: number, scale: Scale): void {
    const x = this.#anchor === 'end' ? this.#x - width : this.#x;
    this.marks.push({ kind: 'ramp', x, y, width, height: 5, scale });
  }
}

/** Narrower last columns hang from the right. */
const ROOM = 104;
/** What words that hang from the right may reach over, to the left of their tensor. */
const HANGING = 72;

/** Where each line of the table has its baseline, from the tensors' lower edge. */
function baselines(names: boolean) {
  const shape = 61;
  const ramp = shape + (names ? 2 * LINE : 0) + 13;
  const colour = ramp + 21;
  return {
    symbol: 22,
    title: 43,
    shape,
    node: shape + LINE,
    ggml: shape + 2 * LINE,
    ramp,
    colour,
    least: colour + LINE,
  };
}

/** Height of the table under the tensors. */
export const captionHeight = (names: boolean): number => baselines(names).least + 3 * LINE + 10;

function legend(column: Column, box: StageBox, top: number, scale: Scale, context: CaptionContext): void {
  const { words, palette, names } = context;
  const y = baselines(names);
  column.ramp(top + y.ramp, Math.max(40, Math.min(box.width, 168)), scale);
  const domain = scale.kind === 'diverging' ? `±${brief(scale.limit)}` : words.captions.range('0', brief(scale.limit));
  column.text(top + y.colour, scale.clipped ? `${domain} ▾` : domain, palette.inkSoft);
}

/** A masked weight is 0 and counts for nothing; in bins that hold several weights it cannot be told from the others. */
function least(part: FlowPart): number {
  const { binSize, shape, data, minimum } = part.picture;
  if (part.stage !== 'p' || binSize[0] * binSize[1] > 1) return minimum;
  return data
    .filter((_, index) => !isMasked(part, Math.floor(index / shape[1]), index % shape[1]))
    .reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

/** The tensor's own least and greatest value; its colours may be shared with others. */
function extent(column: Column, id: StageId, top: number, { data, palette, names }: CaptionContext): void {
  const part = data.parts.get(id);
  if (!part) return;
  const { picture } = part;
  const y = baselines(names);
  column.text(top + y.least, brief(least(part)), palette.inkSoft);
  column.text(top + y.least + LINE, brief(picture.maximum), palette.inkSoft);
}

function stageNames(column: Column, box: StageBox, top: number, context: CaptionContext): void {
  const y = baselines(true);
  const name = nodeName(box.id, context.data.block);
  const face = { face: 'mono', size: 12 } as const;
  let shown = name;
  while (shown.length > 4 && !column.fits(shown, 12, 'mono')) shown = `…${shown.slice(2)}`;
  column.text(top + y.node, shown, context.palette.inkSoft, face);
  column.text(top + y.ggml, ggmlText(box.id, context), context.palette.inkSoft, face);
}

function headers(line: Line, layout: Layout, context: CaptionContext, top: number): Mark[] {
  const { words, palette, names } = context;
  const y = baselines(names);
  const rows: [number, string][] = [
    [y.shape, words.captions.shape],
    [y.colour, words.captions.colour],
    [y.least, words.captions.least],
    [y.least + LINE, words.captions.greatest],
  ];
  const pooled = line.boxes.some(({ id }) => (context.data.parts.get(id)?.picture.binSize[1] ?? 1) > 1);
  if (pooled) rows.push([y.least + 2 * LINE, words.captions.bin]);
  if (names) rows.push([y.node, words.captions.node], [y.ggml, words.captions.ggml]);
  return rows.map(([at, text]): Mark => {
    const base = { kind: 'text', x: layout.labelRight, y: top + at, runs: [{ text }] } as const;
    return { ...base, size: SMALL, face: 'sans', colour: palette.inkFaint, anchor: 'end' };
  });
}

/** A column of words for each tensor; where a group has its words together, it reaches to the next group. */
function columnsOf(line: Line, layout: Layout): Map<StageBox, Column> {
  return new Map(
    line.boxes.map((box, index) => {
      const next = line.boxes.slice(index + 1).find((other) => box.group === 'scores' || leads(line, other));
      return [box, new Column(box, line, next, layout)];
    }),
  );
}

export function captionMarks(line: Line, layout: Layout, context: CaptionContext): Mark[] {
  const { data, scales, words, palette, names } = context;
  const y = baselines(names);
  const columns = columnsOf(line, layout);
  const twoLines = [...columns].some(([box, column]) => column.titled(words.stages[box.id]).length > 1);
  const top = line.captionTop + (twoLines ? LINE : 0);
  const marks = headers(line, layout, context, top);
  for (const [box, column] of columns) {
    const first = leads(line, box);
    column.maths(
      line.captionTop + y.symbol,
      stageSymbol(box.id, data.block, data.head),
      18,
      palette.text[stageSpec(box.id).role],
    );
    const width = data.parts.get(box.id)?.picture.binSize[1] ?? 1;
    const title = words.stages[box.id];
    column.titled(title).forEach((text, index) => {
      column.text(line.captionTop + y.title + index * LINE, text, palette.inkSoft, { size: TITLE });
    });
    const shape = shapeMaths(drawnAxes(box.id), data);
    const lengths = list(logicalShape(drawnAxes(box.id), data.shape).map(mn));
    if (first) column.maths(top + y.shape, column.fitsMaths(shape, 13.5) ? shape : lengths, 13.5, palette.inkSoft);
    if (names && (first || box.group !== 'qkv')) stageNames(column, box, top, context);
    const scale = scales.get(box.id);
    if (scale && ownsLegend(line, box)) legend(column, box, top, scale, context);
    extent(column, box.id, top, context);
    if (width > 1 && first) column.text(top + y.least + 2 * LINE, words.captions.pooled(width), palette.inkSoft);
    marks.push(...column.marks);
  }
  return marks;
}
