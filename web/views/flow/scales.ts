// Which tensors share a colour scale: those that a reader compares.
import { divergingScale, type Extent, type Scale, sequentialScale } from '../../ui/colour/scale';
import type { StageId } from '../../ui/state';
import type { FlowData, FlowPart } from './data';

/** Stages of one scale, the one whose caption carries the legend first. */
export const scaleGroups: readonly (readonly StageId[])[] = [
  ['z'],
  ['q', 'qh'],
  ['k', 'kh'],
  ['v', 'vh'],
  ['o', 'cat'],
  ['raw'],
  ['scaled', 'masked'],
  ['p'],
  ['a', 'x', 'r'],
];

const roleOf = {
  z: 'residual',
  q: 'query',
  k: 'key',
  v: 'value',
  o: 'value',
  raw: 'probability',
  scaled: 'probability',
  p: 'probability',
  a: 'residual',
} as const;

/** The largest weight on a key other than key 0, among the bins that do not hold key 0. */
function largestWithoutFirstKey(part: FlowPart): number {
  const [rows, columns] = part.picture.shape;
  let largest = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 1; column < columns; column++) {
      largest = Math.max(largest, part.picture.data[row * columns + column] ?? 0);
    }
  }
  return largest;
}

/** What the colours of the weights are to leave out; 0 to 1 otherwise. */
export interface WeightScale {
  readonly withoutFirstKey: boolean;
  /** End at the 0.99 quantile: over a long prompt most weights are small. */
  readonly fitWeights: boolean;
}

function probabilityScale(part: FlowPart, { withoutFirstKey, fitWeights }: WeightScale): Scale {
  const { minimum, maximum, quantile99 } = part.picture;
  const others = withoutFirstKey ? largestWithoutFirstKey(part) || 1 : 1;
  const limit = fitWeights ? Math.min(others, quantile99 || 1) : others;
  return sequentialScale('probability', limit, minimum, maximum);
}

export function flowScales(data: FlowData, weights: WeightScale): ReadonlyMap<StageId, Scale> {
  const scales = new Map<StageId, Scale>();
  for (const group of scaleGroups) {
    const parts = group.flatMap((id) => data.parts.get(id) ?? []);
    const [first] = parts;
    if (!first) continue;
    const extents: Extent[] = parts.map(({ picture }) => ({
      ...picture,
      drawn: picture.data,
      pooled: picture.binSize[0] * picture.binSize[1] > 1,
    }));
    const role = roleOf[group[0] as keyof typeof roleOf];
    const scale = group[0] === 'p' ? probabilityScale(first, weights) : divergingScale(role, extents);
    for (const id of group) scales.set(id, scale);
  }
  return scales;
}
