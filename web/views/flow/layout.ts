// Where the stages stand: lines of stages that share their token rows, justified to the figure's width. No DOM, no data.
import type { StageId } from '../../ui/state';
import { type FlowShape, stageSpec } from './stages';

export const MOST_ROWS = 64;

export interface StageBox {
  readonly id: StageId;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Bins to draw, at most. */
  readonly rows: number;
  readonly columns: number;
  /** Width of the deck of other heads that stands out to the right. */
  readonly deck: number;
  /** The first stage of a group carries the group's captions. */
  readonly group: GroupId;
}

export type GroupId = 'z' | 'qkv' | 'split' | 'scores' | 'p' | 'o' | 'cat' | 'update' | 'x' | 'r';
export type BandId = 'read' | 'combine';

export interface Line {
  readonly band: BandId;
  /** First line of its band. */
  readonly first: boolean;
  readonly top: number;
  readonly rowsTop: number;
  readonly rowsBottom: number;
  readonly captionTop: number;
  readonly bottom: number;
  readonly boxes: readonly StageBox[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly form: 'wide' | 'medium' | 'narrow';
  readonly labelRight: number;
  readonly rowHeight: number;
  readonly rowBins: number;
  readonly keyBins: number;
  readonly lines: readonly Line[];
  /** Where the sentence between the bands has its first baseline. */
  readonly sentenceTop: number;
  readonly sentenceHeight: number;
}

export interface LayoutOptions {
  /** Height of the captions under the tensors. */
  readonly captionHeight: number;
  /** Width kept free at the right of the second band in the wide form. */
  readonly aside: number;
}

/** Bins of an axis that shows at most `most` of `count`. */
const binCount = (count: number, most: number): number =>
  count <= most ? count : Math.ceil(count / Math.ceil(count / most));

/**
 * A feature axis in whole pixels: the finest bins that fit, each as wide as fits. A bin's size divides the head's width,
 * so that no bin holds features of two heads.
 */
function featureStrip(features: number, headDim: number, room: number): { bins: number; width: number } {
  let bin = 1;
  while (bin < headDim && (features / bin > room || headDim % bin !== 0)) bin++;
  const bins = Math.ceil(features / bin);
  return { bins, width: bins * Math.max(1, Math.floor(room / bins)) };
}

const groupOf: Readonly<Record<StageId, GroupId>> = {
  z: 'z',
  q: 'qkv',
  k: 'qkv',
  v: 'qkv',
  qh: 'split',
  kh: 'split',
  vh: 'split',
  raw: 'scores',
  scaled: 'scores',
  masked: 'scores',
  p: 'p',
  o: 'o',
  cat: 'cat',
  a: 'update',
  x: 'x',
  r: 'r',
};

type Form = Layout['form'];
const lineStages: Readonly<Record<Form, readonly (readonly [BandId, readonly StageId[]])[]>> = {
  wide: [
    ['read', ['z', 'q', 'k', 'v', 'qh', 'kh', 'vh', 'raw', 'scaled', 'masked', 'p', 'o']],
    ['combine', ['cat', 'a', 'x', 'r']],
  ],
  medium: [
    ['read', ['z', 'q', 'k', 'v', 'qh', 'kh', 'vh']],
    ['read', ['raw', 'scaled', 'masked', 'p', 'o']],
    ['combine', ['cat', 'a', 'x', 'r']],
  ],
  narrow: [
    ['read', ['z', 'q', 'k', 'v']],
    ['read', ['qh', 'kh', 'vh']],
    ['read', ['raw', 'scaled', 'masked']],
    ['read', ['p', 'o']],
    ['combine', ['cat']],
    ['combine', ['a', 'x', 'r']],
  ],
};

const GAP = {
  wide: { thirds: 2, split: 10, scores: 22, group: 30 },
  medium: { thirds: 2, split: 14, scores: 26, group: 36 },
  narrow: { thirds: 2, split: 16, scores: 18, group: 18 },
} as const;

/** Between a strip and the other heads behind it, so that these do not read as its columns. */
export const DECK_GAP = 7;

const deckStep = (form: Form): number => (form === 'narrow' ? 1 : 2);

interface Sized {
  id: StageId;
  width: number;
  columns: number;
  deck: number;
}

interface Rooms {
  /** For a whole D. */
  readonly unit: number;
  /** For a small square of scores. */
  readonly square: number;
  /** For P. */
  readonly hero: number;
}

function sized(ids: readonly StageId[], rooms: Rooms, shape: FlowShape, keyBins: number, form: Form): Sized[] {
  const { width, headDim } = shape;
  return ids.map((id) => {
    const spec = stageSpec(id);
    if (id === 'p') return { id, width: rooms.hero, columns: keyBins, deck: 0 };
    if (spec.columns === 'key') {
      const columns = binCount(shape.tokens, Math.max(1, Math.min(keyBins, Math.floor(rooms.square))));
      const square = columns * Math.max(1, Math.floor(rooms.square / columns));
      return { id, width: Math.min(square, rooms.hero), columns, deck: 0 };
    }
    const strip = featureStrip(spec.perHead ? headDim : width, headDim, rooms.unit * (spec.perHead ? 0.6 : 1));
    const deck = spec.perHead && shape.heads > 1 ? DECK_GAP + deckStep(form) * (shape.heads - 1) : 0;
    return { id, width: strip.width, columns: strip.bins, deck };
  });
}

function gapAfter(left: StageId, right: StageId, form: Form): { gap: number; stretch: boolean } {
  const group = groupOf[left];
  if (group !== groupOf[right]) return { gap: GAP[form].group, stretch: true };
  if (group === 'qkv') return { gap: GAP[form].thirds, stretch: false };
  return { gap: group === 'split' ? GAP[form].split : GAP[form].scores, stretch: false };
}

/** A whole D is given this much before the weights are drawn narrower: what stands under it has room then. */
const COMFORT = 64;

/**
 * Rooms to try, the most generous first: whole widths matter more than the weights, which have a large figure of their own,
 * and than the small squares, which are binned at last.
 */
function* candidates(whole: number, keyBins: number): Generator<Rooms> {
  const heroes = [1, 0.75, 0.5].map((share) => keyBins * Math.max(1, Math.floor((share * whole) / keyBins)));
  const least = heroes.at(-1) ?? whole;
  for (const hero of heroes) {
    for (let unit = 320; unit >= COMFORT; unit -= 2) yield* squares(unit, hero, keyBins);
  }
  for (let unit = COMFORT; unit >= 24; unit -= 2) yield* squares(unit, least, keyBins);
  for (let square = keyBins; square >= 24; square -= 2) yield { unit: 24, square, hero: least };
}

function* squares(unit: number, hero: number, keyBins: number): Generator<Rooms> {
  const most = Math.min(Math.max(unit, keyBins), Math.max(48, hero * 0.5));
  const least = Math.min(most, Math.max(0.55 * unit, keyBins));
  for (let square = most; square >= least; square -= 2) yield { unit, square, hero };
}

function justified(ids: readonly StageId[], room: number, hero: number, shape: FlowShape, keyBins: number, form: Form) {
  const between = ids.slice(1).map((id, index) => gapAfter(ids[index] ?? id, id, form));
  const grouped = between.some(({ stretch }) => stretch);
  const gaps = grouped ? between : between.map((one) => ({ ...one, stretch: true }));
  const fixed = gaps.reduce((sum, { gap }) => sum + gap, 0);
  const total = (stages: readonly Sized[]) => stages.reduce((sum, { width, deck }) => sum + width + deck, fixed);
  let stages: Sized[] = [];
  for (const rooms of candidates(hero, keyBins)) {
    stages = sized(ids, rooms, shape, keyBins, form);
    if (total(stages) <= room) break;
  }
  const stretching = gaps.filter(({ stretch }) => stretch).length;
  const extra = stretching > 0 ? Math.max(0, Math.min(88, Math.floor((room - total(stages)) / stretching))) : 0;
  let x = 0;
  return stages.map((stage, index) => {
    const placed = { ...stage, x };
    const gap = gaps[index];
    x += stage.width + stage.deck + (gap ? gap.gap + (gap.stretch ? extra : 0) : 0);
    return placed;
  });
}

const formOf = (width: number): Form => (width >= 1120 ? 'wide' : width >= 600 ? 'medium' : 'narrow');

/** The row height that lets a handful of tokens breathe and 64 of them fit. */
const rowHeightOf = (rows: number): number => Math.max(8, Math.min(56, Math.floor(252 / Math.max(1, rows))));

/** The width of P: as wide as high, less where its line has no room for that. */
function heroWidth(form: Form, keyBins: number, rowHeight: number, room: number): number {
  if (form === 'narrow') return Math.min(keyBins * rowHeight, room - 44);
  const cell = keyBins > 48 ? 7 : rowHeight;
  return keyBins * (form === 'medium' ? Math.min(cell, Math.max(1, Math.floor((0.45 * room) / keyBins))) : cell);
}

export function layoutFlow(shape: FlowShape, rowCount: number, width: number, options: LayoutOptions): Layout {
  const form = formOf(width);
  const labelRight = form === 'narrow' ? 62 : 72;
  const left = labelRight + (form === 'narrow' ? 10 : 12);
  const rowBins = binCount(rowCount, MOST_ROWS);
  const keyBins = binCount(shape.tokens, MOST_ROWS);
  const rowHeight = rowHeightOf(rowBins);
  const height = rowBins * rowHeight;
  const room = width - left;
  const hero = heroWidth(form, keyBins, rowHeight, room);
  const heading = form === 'narrow' ? 54 : 34;
  const lane = 60;

  const lines: Line[] = [];
  let y = 0;
  let sentenceTop = 0;
  const sentenceHeight = form === 'narrow' ? 96 : form === 'medium' ? 84 : 64;
  let before: BandId = 'read';
  for (const [band, ids] of lineStages[form]) {
    const first = lines.length === 0 || band !== before;
    if (band !== before) {
      sentenceTop = y;
      y += sentenceHeight;
    }
    before = band;
    const rowsTop = y + (first ? heading : 0) + lane;
    const lineRoom = form === 'wide' && band === 'combine' ? room - options.aside : room;
    const boxes = justified(ids, lineRoom, Math.max(1, hero), shape, keyBins, form).map(
      (stage): StageBox => ({
        id: stage.id,
        x: left + stage.x,
        y: rowsTop,
        width: stage.width,
        height,
        rows: rowBins,
        columns: stage.columns,
        deck: stage.deck,
        group: groupOf[stage.id],
      }),
    );
    const captionTop = rowsTop + height + (ids.includes('vh') && ids.includes('v') ? 22 : 0);
    const bottom = captionTop + options.captionHeight;
    lines.push({ band, first, top: y, rowsTop, rowsBottom: rowsTop + height, captionTop, bottom, boxes });
    y = bottom + 12;
  }
  return { width, height: y, form, labelRight, rowHeight, rowBins, keyBins, lines, sentenceTop, sentenceHeight };
}

export const boxOf = (layout: Layout, id: StageId): StageBox | undefined =>
  layout.lines.flatMap((line) => line.boxes).find((box) => box.id === id);
