// The map of all heads: a real thumbnail for each, with a bar that says what it does on this prompt. Pure, no DOM.
import type { Picture } from '../../engine/api';
import type { Palette } from '../../ui/colour/palette';
import { type Scale, sequentialScale } from '../../ui/colour/scale';
import { type Box, type CellsMark, type Drawing, type Mark, rectPath, type TextMark } from '../../ui/marks/marks';
import { brokenRuns } from '../../ui/marks/measure';
import { brief, briefWeight } from '../../ui/numbers';
import type { Lighting } from '../../ui/screen';
import type { ScreenWords } from '../../ui/words/screen';
import { cellBox, LANE, type MapPlan, planMap } from './plan';

export interface HeadPlace {
  readonly block: number;
  readonly head: number;
}

export interface MapCell {
  /** `pending` is not computed yet, `absent` not loaded. */
  readonly state: 'shown' | 'pending' | 'absent';
  /** The head's weights, [T, T] in the bins of the plan. */
  readonly picture: Picture | null;
  /** What the chosen lighting measures; null where it is not known. */
  readonly measure: number | null;
  /** The likeliest token's probability with this head switched off; null where it was not tried. */
  readonly effect: number | null;
  readonly off: boolean;
}

export interface MapData {
  /** By block, then by head. */
  readonly cells: readonly (readonly MapCell[])[];
  readonly tokens: number;
  readonly focus: HeadPlace;
  readonly lighting: Lighting;
  /** The likeliest next token, as it is shown; empty while it is not known. */
  readonly next: string;
}

export interface MapView {
  readonly width: number;
  /** The most that the cells may take. */
  readonly height: number;
  readonly palette: Palette;
  readonly words: ScreenWords;
}

export interface MapDrawing extends Drawing {
  readonly plan: MapPlan;
  /** The thumbnails, which stay as they are when bars and outlines change. */
  readonly thumbnails: readonly { readonly place: HeadPlace; readonly mark: CellsMark }[];
}

const SMALL = 12.5;

export const mapPlan = ({ cells, tokens, focus }: MapData, view: Pick<MapView, 'width' | 'height'>): MapPlan =>
  planMap(cells.length, cells[0]?.length ?? 0, tokens, focus.block, view.width, view.height);

/** Prompts beyond this many tokens have mostly small weights. */
const LONG = 24;

/** One scale for all heads: to 1, or over a long prompt to the median head's 0.99 quantile. */
function mapScale({ cells, tokens }: MapData): Scale {
  const pictures = cells.flat().flatMap(({ picture }) => picture ?? []);
  const quantiles = pictures.map(({ quantile99 }) => quantile99).sort((a, b) => a - b);
  const maximum = Math.max(0, ...pictures.map((picture) => picture.maximum));
  const median = quantiles[Math.floor(quantiles.length / 2)] || 1;
  return sequentialScale('probability', tokens > LONG ? median : 1, 0, maximum);
}

/** What a full bar stands for: 1 where shares are measured, else the largest magnitude. */
export function fullBar({ cells, lighting }: Pick<MapData, 'cells' | 'lighting'>): number {
  if (lighting !== 'writes') return 1;
  return Math.max(0, ...cells.flat().map(({ measure }) => Math.abs(measure ?? 0))) || 1;
}

const label = (x: number, y: number, text: string, colour: string, more: Partial<TextMark> = {}): TextMark => ({
  kind: 'text',
  x,
  y,
  runs: [{ text }],
  size: SMALL,
  face: 'sans',
  colour,
  ...more,
});

/** Names of blocks at the left and of heads on top. */
function headers(plan: MapPlan, data: MapData, { palette, words }: MapView): Mark[] {
  const marks: Mark[] = [];
  const narrow = plan.left === 0;
  if (narrow) marks.push(label(0, 13, words.map.heads(data.focus.block), palette.inkSoft));
  else marks.push(label(0, 13, words.map.head, palette.inkFaint));
  for (let head = 0; head < plan.heads && !narrow; head++) {
    const box = cellBox(plan, plan.blocks[0] ?? 0, head);
    const own = head === data.focus.head;
    const weight = own ? { weight: 650 } : {};
    const colour = own ? palette.ink : palette.inkFaint;
    if (box) {
      const runs = [{ text: `${head}`, ...weight }];
      marks.push(label(box.x + box.width / 2, 13, '', colour, { runs, anchor: 'middle' }));
    }
  }
  for (const block of narrow ? [] : plan.blocks) {
    const box = cellBox(plan, block, 0);
    const own = block === data.focus.block;
    const runs = [{ text: `${words.map.block} ${block}`, ...(own ? { weight: 650 } : {}) }];
    const y = (box?.y ?? 0) + plan.cell / 2 + 4;
    marks.push(label(0, y, '', own ? palette.ink : palette.inkFaint, { runs }));
  }
  return marks;
}

/** Where a block's heads all wait for the same, it is said once across them. */
function waiting(plan: MapPlan, data: MapData, { palette, words }: MapView): Mark[] {
  return plan.blocks.flatMap((block): Mark[] => {
    const row = data.cells[block] ?? [];
    const [first] = row;
    const box = cellBox(plan, block, 0);
    if (!first || !box || first.state === 'shown' || row.some(({ state }) => state !== first.state)) return [];
    const runs = [{ text: first.state === 'absent' ? words.map.absent : words.map.pending, italic: true }];
    return [label(box.x + 6, box.y + plan.cell / 2 + 4, '', palette.inkSoft, { runs, halo: palette.paper })];
  });
}

function barPath(box: Box, measure: number, full: number): string {
  const width = Math.min(1, Math.abs(measure) / full) * box.width;
  return width > 0 ? rectPath({ x: box.x, y: box.y + box.height + 2, width, height: LANE - 2 }) : '';
}

function crossed({ x, y, width, height }: Box): string {
  return `M${x} ${y}l${width} ${height}M${x + width} ${y}l${-width} ${height}`;
}

/** Everything on the thumbnails: edges, bars, crosses, numbers. */
function cellMarks(plan: MapPlan, data: MapData, { palette }: MapView): Mark[] {
  const full = fullBar(data);
  const paths = { edge: '', open: '', lane: '', bar: '', below: '', veil: '', cross: '' };
  const numbers: Mark[] = [];
  for (const block of plan.blocks) {
    data.cells[block]?.forEach((cell, head) => {
      const box = cellBox(plan, block, head);
      if (!box) return;
      if (cell.state === 'shown') paths.edge += rectPath(box);
      else paths.open += rectPath(box);
      if (data.lighting !== 'none' && cell.measure !== null) {
        paths.lane += `M${box.x} ${box.y + box.height + LANE}h${box.width}`;
        paths[cell.measure < 0 ? 'below' : 'bar'] += barPath(box, cell.measure, full);
      }
      if (cell.off) {
        paths.veil += rectPath(box);
        paths.cross += crossed(box);
      }
      if (cell.effect === null) return;
      const size = Math.min(14, Math.max(11, box.width * 0.34));
      const runs = [{ text: briefWeight(cell.effect), weight: 650 }];
      const y = box.y + box.height / 2 + size * 0.35;
      const more = { runs, size, halo: palette.paper, anchor: 'middle' } as const;
      numbers.push(label(box.x + box.width / 2, y, '', palette.ink, more));
    });
  }
  const path = (d: string, style: Omit<Mark & { kind: 'path' }, 'kind' | 'path'>): Mark[] =>
    d ? [{ kind: 'path', path: d, ...style }] : [];
  return [
    ...path(paths.veil, { fill: palette.paper, opacity: 0.6 }),
    ...path(paths.edge, { stroke: palette.rule, width: 1 }),
    ...path(paths.open, { stroke: palette.hatch, width: 1, dash: '3 3' }),
    ...path(paths.lane, { stroke: palette.rule, width: 1 }),
    ...path(paths.bar, { fill: palette.inkSoft }),
    ...path(paths.below, { fill: palette.negative.residual[2] ?? palette.ink }),
    ...path(paths.cross, { stroke: palette.ink, width: 1.5 }),
    ...numbers,
  ];
}

function legend(plan: MapPlan, data: MapData, scale: Scale, { palette, words, width }: MapView): Drawing {
  const said: string[] = [];
  const { lighting } = data;
  if (lighting !== 'none') {
    said.push(words.map.measures(lighting, data.next), words.map.fullBar(brief(fullBar(data))));
    if (lighting === 'writes') said.push(words.map.below);
  }
  const texts = [said.join('; ')];
  if (data.cells.some((row) => row.some(({ effect }) => effect !== null))) texts.push(words.map.effects(data.next));
  if (scale.limit < 1) texts.push(words.map.colours(brief(scale.limit)));
  const lines = texts.filter(Boolean).flatMap((text) => brokenRuns([{ text }], SMALL, width));
  const marks = lines.map((runs, index) => label(0, plan.bottom + 16 + index * 17, '', palette.inkSoft, { runs }));
  return { width, height: plan.bottom + (lines.length > 0 ? 8 + lines.length * 17 : 0), marks };
}

export function drawMap(data: MapData, view: MapView): MapDrawing {
  const { palette, words } = view;
  const plan = mapPlan(data, view);
  const scale = mapScale(data);
  const thumbnails = plan.blocks.flatMap((block) =>
    (data.cells[block] ?? []).flatMap(({ picture }, head) => {
      const box = cellBox(plan, block, head);
      if (!picture || !box) return [];
      const [rows, columns] = picture.shape;
      const name = words.map.cell(`${block}.${head}`, []);
      const mark: CellsMark = { kind: 'cells', ...box, rows, columns, values: picture.data, scale, label: name };
      return [{ place: { block, head }, mark }];
    }),
  );
  const focused = cellBox(plan, data.focus.block, data.focus.head);
  const outline: Mark[] = focused
    ? [
        {
          kind: 'path',
          path: rectPath({ x: focused.x - 1, y: focused.y - 1, width: focused.width + 2, height: focused.height + 2 }),
          stroke: palette.light,
          width: 2,
        },
      ]
    : [];
  const below = legend(plan, data, scale, view);
  const marks = [
    ...thumbnails.map(({ mark }) => mark),
    ...cellMarks(plan, data, view),
    ...waiting(plan, data, view),
    ...outline,
    ...headers(plan, data, view),
    ...below.marks,
  ];
  return { width: view.width, height: below.height, marks, plan, thumbnails };
}

/** What is known of one head, as phrases: beside the pointer and for screen readers. */
export function headSays(data: MapData, { block, head }: HeadPlace, words: ScreenWords): string {
  const cell = data.cells[block]?.[head];
  if (!cell) return '';
  const states: string[] = [];
  if (cell.state !== 'shown') states.push(cell.state === 'absent' ? words.map.absent : words.map.pending);
  if (cell.off) states.push(words.map.off);
  if (data.lighting !== 'none' && cell.measure !== null) {
    states.push(`${words.map.lighting[data.lighting]} ${brief(cell.measure)}`);
  }
  if (cell.effect !== null) states.push(words.map.effect(data.next, briefWeight(cell.effect)));
  return words.map.cell(`${block}.${head}`, states);
}
