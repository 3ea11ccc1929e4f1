// One head's scores and weights as one large square, at the stage that is chosen. A pure function, no DOM.
import type { Picture } from '../../engine/api';
import type { Palette } from '../../ui/colour/palette';
import type { Scale } from '../../ui/colour/scale';
import { type Box, type Drawing, type Mark, rectPath } from '../../ui/marks/marks';
import { brokenRuns } from '../../ui/marks/measure';
import { brief } from '../../ui/numbers';
import type { ScoreStage, WeightScaleChoice } from '../../ui/screen';
import type { ScreenWords } from '../../ui/words/screen';
import { isBinned, isClosed, isFitted, stagePicture, stageScale, type WeightsData } from './data';
import { binsOf, keyLabels, numberMarks, tokenLabels } from './labels';
import { planWeights, type WeightsPlan } from './plan';

export interface WeightsView {
  readonly width: number;
  /** How large the square is to be, where there is room. */
  readonly side: number;
  readonly stage: ScoreStage;
  readonly scale: WeightScaleChoice;
  readonly palette: Palette;
  readonly words: ScreenWords;
  /** Under the square stand the ramp and its range alone, and what a cell holds where that is more than one number. */
  readonly terse: boolean;
  /** The selected or pointed cell: query and key. */
  readonly cell: { readonly row: number; readonly column: number } | null;
}

export interface WeightsDrawing extends Drawing {
  readonly plan: WeightsPlan;
  /** What the cells show, or null where the stage has none. */
  readonly picture: Picture | null;
}

/** Lines of paper between cells that are large enough to be counted. */
function gutters({ box, rows, columns, cell }: WeightsPlan, palette: Palette): Mark[] {
  if (Math.min(...cell) < 7) return [];
  let path = '';
  for (let row = 1; row < rows; row++) path += `M${box.x} ${box.y + row * cell[1]}h${box.width}`;
  for (let column = 1; column < columns; column++) path += `M${box.x + column * cell[0]} ${box.y}v${box.height}`;
  return path ? [{ kind: 'path', path, stroke: palette.paper, width: 1 }] : [];
}

/** The square's edge, and the staircase where the keys that a query may see end. */
function outlines(plan: WeightsPlan, data: WeightsData, picture: Picture, palette: Palette): Mark[] {
  const { box, rows, columns, cell } = plan;
  let path = '';
  for (let row = 0; row < rows; row++) {
    let end = 0;
    while (end < columns && !isClosed(data, picture, row, end)) end++;
    path += row === 0 ? `M${box.x + end * cell[0]} ${box.y}` : `H${box.x + end * cell[0]}`;
    path += `v${cell[1]}`;
  }
  return [
    { kind: 'path', path, stroke: palette.inkFaint, width: 1 },
    { kind: 'path', path: rectPath(box), stroke: palette.hatch, width: 1 },
  ];
}

/** Cells beyond the scale carry a tick. */
function ticks(plan: WeightsPlan, data: WeightsData, picture: Picture, scale: Scale, palette: Palette): Mark[] {
  if (!scale.clipped || scale.kind === 'falling') return [];
  const { box, rows, columns, cell } = plan;
  const length = Math.min(4, cell[1] / 3);
  let path = '';
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const size = Math.abs(picture.data[row * columns + column] ?? 0);
      if (!Number.isFinite(size) || size <= scale.limit || isClosed(data, picture, row, column)) continue;
      const x = box.x + (column + 0.82) * cell[0];
      path += `M${x} ${box.y + (row + 0.18) * cell[1]}v${length}`;
    }
  }
  return path ? [{ kind: 'path', path, stroke: palette.paper, width: Math.min(2, cell[0] / 4) }] : [];
}

function light(plan: WeightsPlan, row: number, palette: Palette): Mark[] {
  if (row < 0) return [];
  const { box, cell } = plan;
  const band = { x: box.x, y: box.y + row * cell[1], width: box.width, height: cell[1] };
  const lines = `M${band.x} ${band.y}h${band.width}M${band.x} ${band.y + band.height}h${band.width}`;
  return [{ kind: 'path', path: lines, stroke: palette.light, width: 1.25, opacity: 0.8 }];
}

function cellMarks(plan: WeightsPlan, data: WeightsData, picture: Picture, view: WeightsView): Mark[] {
  if (!view.cell) return [];
  const { box, cell } = plan;
  const row = Math.floor((view.cell.row - data.rows[0]) / picture.binSize[0]);
  const column = Math.floor(view.cell.column / picture.binSize[1]);
  if (row < 0 || row >= plan.rows || column < 0 || column >= plan.columns) return [];
  const at: Box = { x: box.x + column * cell[0], y: box.y + row * cell[1], width: cell[0], height: cell[1] };
  return [
    { kind: 'path', path: rectPath(at), stroke: view.palette.paper, width: 4, opacity: 0.9 },
    { kind: 'path', path: rectPath(at), stroke: view.palette.light, width: 2 },
  ];
}

const LEGEND = { ramp: 14, text: 33, line: 18, size: 13 } as const;

/** What the notes under the square have to say of its scale. */
function notes(data: WeightsData, picture: Picture, scale: Scale, view: WeightsView): string[] {
  const { words, stage } = view;
  const binned = isBinned(picture) ? [words.weights.binned(...picture.binSize)] : [];
  if (view.terse) return binned;
  const said = [words.weights.says[stage]];
  if (stage === 'p' && isFitted(view.scale, data.tokens.length)) {
    said.push(scale.clipped ? words.weights.quantile : words.weights.all);
  }
  if (scale.kind === 'falling') {
    if (scale.clipped) said.push(words.weights.belowTen);
  } else if (scale.clipped) said.push(words.weights.clipped);
  return [...said, ...binned];
}

function legend(plan: WeightsPlan, data: WeightsData, picture: Picture, scale: Scale, view: WeightsView): Drawing {
  const { palette, words } = view;
  const top = plan.box.y + plan.box.height;
  const x = plan.narrow ? 0 : plan.box.x;
  const least = scale.kind === 'sequential' ? '0' : brief(-scale.limit);
  const domain = words.weights.range(least, scale.kind === 'falling' ? '0' : brief(scale.limit));
  const text = (y: number, runs: readonly { text: string; colour?: string }[]): Mark => {
    return { kind: 'text', x, y, runs, size: LEGEND.size, face: 'sans', colour: palette.inkSoft };
  };
  const extent = words.weights.data(brief(scale.minimum), brief(scale.maximum));
  const first = [{ text: domain }, { text: ` · ${extent}`, colour: palette.inkFaint }];
  const marks: Mark[] = [
    { kind: 'ramp', x, y: top + LEGEND.ramp, width: Math.min(168, plan.width - x), height: 5, scale },
  ];
  const lines = notes(data, picture, scale, view).flatMap((note) =>
    brokenRuns([{ text: note }], LEGEND.size, plan.width - x),
  );
  [first, ...lines].forEach((runs, index) => {
    marks.push(text(top + LEGEND.text + index * LEGEND.line, runs));
  });
  return { width: plan.width, height: top + LEGEND.text + lines.length * LEGEND.line + 8, marks };
}

/** Before there are numbers, or where the stage has none for cells that hold several: an outline, and words. */
function pending(plan: WeightsPlan, said: string, palette: Palette): Drawing {
  const { box, width } = plan;
  const lines = brokenRuns([{ text: said, italic: true }], 16, box.width - 16, 'serif');
  const marks = lines.map((runs, index): Mark => {
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2 + index * 20];
    return { kind: 'text', x, y, runs, size: 16, face: 'serif', colour: palette.inkSoft, anchor: 'middle' };
  });
  const outline: Mark = { kind: 'path', path: rectPath(box), stroke: palette.hatch, width: 1, dash: '3 3' };
  return { width, height: box.y + box.height + LEGEND.text, marks: [outline, ...marks] };
}

export function drawWeights(data: WeightsData, view: WeightsView): WeightsDrawing {
  const { palette, stage, words } = view;
  const plan = planWeights(data.tokens.length, data.rows[1] - data.rows[0], view.width, view.side);
  const picture = stagePicture(data, stage);
  if (!picture || picture.shape[0] !== plan.rows || picture.shape[1] !== plan.columns) {
    const masked = data.pictures.get('masked');
    const binned = stage === 'lessMaximum' && masked && isBinned(masked);
    return { ...pending(plan, binned ? words.weights.notBinned : words.weights.pending, palette), plan, picture: null };
  }
  const scale = stageScale(data, stage, picture, view.scale);
  const bins = binsOf(data, picture);
  const numbers = numberMarks(plan, data, bins, picture, stage, scale, palette);
  const below = legend(plan, data, picture, scale, view);
  const { rows, columns, box } = plan;
  const label = words.weights.label(words.weights.stages[stage], `${data.block}.${data.head}`, data.tokens.length);
  const marks: Mark[] = [
    { kind: 'cells', ...box, rows, columns, values: picture.data, scale, label },
    ...gutters(plan, palette),
    ...outlines(plan, data, picture, palette),
    ...ticks(plan, data, picture, scale, palette),
    ...light(plan, bins.row, palette),
    ...numbers,
    ...tokenLabels(plan, data, bins, palette),
    ...keyLabels(plan, data, bins, numbers.length > 0 || stage !== 'p', palette),
    ...cellMarks(plan, data, picture, view),
    ...below.marks,
  ];
  return { width: view.width, height: below.height, marks, plan, picture };
}
