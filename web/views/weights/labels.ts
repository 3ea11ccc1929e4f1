// The square's labels: tokens at the left, keys on top with the selected row's largest always named, numbers in its cells.
import type { Picture } from '../../engine/api';
import type { Palette } from '../../ui/colour/palette';
import { type Scale, wantsPaperText } from '../../ui/colour/scale';
import type { Mark, TextMark } from '../../ui/marks/marks';
import { textWidth } from '../../ui/marks/measure';
import { briefWeight, fixed } from '../../ui/numbers';
import { largestKeys } from '../../ui/reading';
import type { ScoreStage } from '../../ui/screen';
import { shortened, tokenText } from '../../ui/tokens';
import type { WeightsData } from './data';
import type { WeightsPlan } from './plan';

/** Distances at which labels stay apart, in pixels: lines of text, and slanted ones. */
const LINE = 15;
const SLANTED = 18;
const KEY_SIZE = 12.5;

interface Bins {
  readonly size: readonly [number, number];
  /** The bin row of the selected query, or -1 where it is not among the rows. */
  readonly row: number;
}

export function binsOf(data: WeightsData, { binSize }: Picture): Bins {
  const inside = data.row >= data.rows[0] && data.row < data.rows[1];
  return { size: binSize, row: inside ? Math.floor((data.row - data.rows[0]) / binSize[0]) : -1 };
}

function name(data: WeightsData, first: number, size: number, end: number, length: number): string {
  const token = data.tokens[first];
  if (size === 1) return token ? shortened(tokenText(token), length) : '';
  const last = Math.min(first + size, end) - 1;
  return last === first ? `${first}` : `${first}–${last}`;
}

/** Shortened until it is no wider than there is room. */
function fitted(data: WeightsData, first: number, size: number, end: number, room: number, point: number): string {
  let length = 10;
  while (length > 2 && textWidth(name(data, first, size, end, length), point, 'sans', 650) > room) length--;
  return name(data, first, size, end, length);
}

export function tokenLabels(plan: WeightsPlan, data: WeightsData, bins: Bins, palette: Palette): Mark[] {
  const height = plan.cell[1];
  const stride = Math.ceil(LINE / height);
  const size = height >= 20 ? 14.5 : 12.5;
  return Array.from({ length: plan.rows }, (_, row) => row).flatMap((row): Mark[] => {
    const selected = row === bins.row;
    if (!selected && (row % stride !== 0 || (bins.row >= 0 && Math.abs(row - bins.row) < stride))) return [];
    const first = data.rows[0] + row * bins.size[0];
    const text = fitted(data, first, bins.size[0], data.rows[1], plan.labelRight, size);
    return [
      {
        kind: 'text',
        x: plan.labelRight,
        y: plan.box.y + (row + 0.5) * height + size * 0.32,
        runs: [{ text, ...(selected ? { weight: 650 } : {}) }],
        size,
        face: 'sans',
        colour: selected ? palette.ink : palette.inkSoft,
        anchor: 'end',
      },
    ];
  });
}

/** Moves places apart that are nearer to each other than labels may be, but not beyond `last`. */
function spread(places: readonly number[], last: number): number[] {
  const moved: number[] = [];
  for (const [index, place] of places.entries()) {
    moved.push(index === 0 ? place : Math.max(place, (moved[index - 1] ?? 0) + SLANTED));
  }
  for (let index = moved.length - 1; index >= 0; index--) {
    const limit = index === moved.length - 1 ? last : (moved[index + 1] ?? last) - SLANTED;
    moved[index] = Math.min(moved[index] ?? limit, limit);
  }
  return moved;
}

interface KeyLabel {
  readonly column: number;
  readonly x: number;
  readonly largest: boolean;
}

/** The largest keys' labels where they have room, then every other one that keeps clear of them. */
function keyPlaces(plan: WeightsPlan, largest: readonly number[]): KeyLabel[] {
  const { box, columns, cell } = plan;
  const centre = (column: number): number => box.x + (column + 0.5) * cell[0];
  const ordered = [...new Set(largest)].sort((a, b) => a - b);
  const places = spread(ordered.map(centre), centre(columns - 1));
  const labels = ordered.map((column, index): KeyLabel => ({ column, x: places[index] ?? 0, largest: true }));
  const stride = Math.ceil(SLANTED / cell[0]);
  for (let column = 0; column < columns; column += stride) {
    const x = centre(column);
    const clear = labels.every((label) => Math.abs(label.x - x) >= SLANTED - 0.01);
    if (clear && !ordered.includes(column)) labels.push({ column, x, largest: false });
  }
  return labels;
}

/** `told`: whether the cells tell the weights; else the largest ones stand beside their keys' names. */
export function keyLabels(plan: WeightsPlan, data: WeightsData, bins: Bins, told: boolean, palette: Palette): Mark[] {
  const largest = largestKeys(data);
  const columns = largest.map(({ key }) => Math.floor(key / bins.size[1]));
  return keyPlaces(plan, bins.row < 0 ? [] : columns).flatMap(({ column, x, largest: named }): Mark[] => {
    const weight = largest[columns.indexOf(column)]?.weight ?? 0;
    const room = plan.narrow ? 44 : 54;
    const text = fitted(data, column * bins.size[1], bins.size[1], data.tokens.length, room, KEY_SIZE);
    const runs = named
      ? [
          { text, weight: 650 },
          ...(told ? [] : [{ text: ` ${briefWeight(weight)}`, colour: palette.text.probability }]),
        ]
      : [{ text }];
    const y = plan.box.y - 8;
    const label: TextMark = {
      kind: 'text',
      x: x + 3,
      y,
      runs,
      size: KEY_SIZE,
      face: 'sans',
      colour: named ? palette.ink : palette.inkSoft,
      turn: plan.turn,
    };
    const centre = plan.box.x + (column + 0.5) * plan.cell[0];
    if (!named) return [label];
    const path = `M${centre} ${plan.box.y - 1}L${x} ${y + 2}`;
    return [{ kind: 'path', path, stroke: palette.inkFaint, width: 1 }, label];
  });
}

const written = (value: number, stage: ScoreStage): string =>
  stage === 'p' ? briefWeight(value) : Number.isFinite(value) ? fixed(value, 1) : '';

/** The selected row's numbers, where every one of them fits its cell; empty where not. */
export function numberMarks(
  plan: WeightsPlan,
  data: WeightsData,
  bins: Bins,
  picture: Picture,
  stage: ScoreStage,
  scale: Scale,
  palette: Palette,
): Mark[] {
  const [width, height] = plan.cell;
  if (bins.row < 0 || bins.size[0] * bins.size[1] > 1 || height < 14) return [];
  const values = picture.data.subarray(bins.row * plan.columns, (bins.row + 1) * plan.columns);
  const shown = stage === 'raw' || stage === 'scaled' ? values : values.subarray(0, data.row + 1);
  const size = Math.max(12, Math.min(17, width * 0.36));
  const texts = Array.from(shown, (value) => written(value, stage));
  if (texts.some((text) => textWidth(text, size) > width - 4)) return [];
  return texts.map((text, column): Mark => {
    const value = shown[column] ?? 0;
    const faint = stage === 'p' && value < 0.005;
    return {
      kind: 'text',
      x: plan.box.x + (column + 0.5) * width,
      y: plan.box.y + (bins.row + 0.5) * height + size * 0.35,
      runs: [{ text }],
      size,
      face: 'sans',
      colour: wantsPaperText(value, scale) ? palette.paper : faint ? palette.inkFaint : palette.ink,
      anchor: 'middle',
    };
  });
}
