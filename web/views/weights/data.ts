// What the large square is drawn from: pictures of one head's scores and weights, and how the last stages follow from them.
import type { Picture, Span, Token } from '../../engine/api';
import { divergingScale, type Extent, fallingScale, type Scale, sequentialScale } from '../../ui/colour/scale';
import type { ScoreStage, WeightScaleChoice } from '../../ui/screen';

/** The stages whose numbers the engine keeps. */
export type KeptStage = Exclude<ScoreStage, 'lessMaximum'>;

export interface WeightsData {
  readonly tokens: readonly Token[];
  readonly block: number;
  readonly head: number;
  /** The queries that are rows: all, or the window of a long prompt. */
  readonly rows: Span;
  /** One head's [rows, T], pooled to the bins of the plan; what is missing is not computed yet. */
  readonly pictures: ReadonlyMap<KeptStage, Picture>;
  /** The selected query and its exact weights on all keys. */
  readonly row: number;
  readonly weights: Float32Array;
}

export const isBinned = ({ binSize }: Picture): boolean => binSize[0] * binSize[1] > 1;

/** Whether all of a bin comes after the queries of its row. */
export function isClosed(data: WeightsData, { binSize }: Picture, row: number, column: number): boolean {
  const lastQuery = Math.min(data.rows[1], data.rows[0] + (row + 1) * binSize[0]) - 1;
  return column * binSize[1] > lastQuery;
}

/** Each masked score less the largest of its row, rounded to single precision: what exp receives. */
function lessMaximum(masked: Picture): Picture {
  const [rows, columns] = masked.shape;
  const data = new Float32Array(masked.data.length);
  let minimum = 0;
  for (let row = 0; row < rows; row++) {
    const scores = masked.data.subarray(row * columns, (row + 1) * columns);
    const largest = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
    scores.forEach((score, column) => {
      const difference = Math.fround(score - largest);
      data[row * columns + column] = difference;
      if (Number.isFinite(difference)) minimum = Math.min(minimum, difference);
    });
  }
  return { ...masked, data, minimum, maximum: 0 };
}

/** The picture of a stage; null where it is not computed yet, or where cells hold several numbers and it takes single ones. */
export function stagePicture(data: WeightsData, stage: ScoreStage): Picture | null {
  if (stage !== 'lessMaximum') return data.pictures.get(stage) ?? null;
  const masked = data.pictures.get('masked');
  return masked && !isBinned(masked) ? lessMaximum(masked) : null;
}

/** The visible cells of a picture, those of row 0 left out: its one weight is always 1. */
function visible(data: WeightsData, picture: Picture): number[] {
  const [rows, columns] = picture.shape;
  const values: number[] = [];
  for (let row = data.rows[0] === 0 && rows > 1 ? 1 : 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = picture.data[row * columns + column] ?? Number.NaN;
      if (!isClosed(data, picture, row, column) && Number.isFinite(value)) values.push(value);
    }
  }
  return values.sort((a, b) => a - b);
}

/** Prompts beyond this many tokens have mostly small weights. */
const LONG = 24;

export const isFitted = (choice: WeightScaleChoice, tokens: number): boolean =>
  choice === 'fitted' || (choice === 'auto' && tokens > LONG);

/** Below exp(-10) a weight is less than 0.0001. */
const FALL = 10;

export function stageScale(data: WeightsData, stage: ScoreStage, picture: Picture, choice: WeightScaleChoice): Scale {
  const values = visible(data, picture);
  if (stage === 'p') {
    const fitted = values[Math.ceil(0.99 * values.length) - 1] || 1;
    const limit = isFitted(choice, data.tokens.length) ? fitted : 1;
    const least = isBinned(picture) || picture.shape[0] === 1 ? picture.minimum : (values[0] ?? 0);
    return sequentialScale('probability', limit, least, picture.maximum);
  }
  if (stage === 'lessMaximum') {
    return fallingScale('probability', Math.min(FALL, -picture.minimum) || 1, picture.minimum, 0);
  }
  const group = stage === 'raw' ? [picture] : [data.pictures.get('scaled'), data.pictures.get('masked')];
  const extents = group.flatMap((one): Extent[] => (one ? [{ ...one, drawn: one.data, pooled: isBinned(one) }] : []));
  return divergingScale('probability', extents);
}
