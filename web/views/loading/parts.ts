// How much of each part of a model is there: tensors gathered by part and block, in reading order.
import type { ModelPart, TensorLoad } from '../../engine/api';

export interface PartLoad {
  readonly part: ModelPart;
  readonly block: number | null;
  readonly size: number;
  readonly present: number;
  readonly tensors: readonly TensorLoad[];
}

export const sum = (list: readonly Pick<TensorLoad, 'size' | 'present'>[], of: 'size' | 'present'): number =>
  list.reduce((total, one) => total + one[of], 0);

export function partsOf(tensors: readonly TensorLoad[]): PartLoad[] {
  const gathered = new Map<string, TensorLoad[]>();
  for (const tensor of tensors) {
    const key = `${tensor.part} ${tensor.block}`;
    gathered.set(key, [...(gathered.get(key) ?? []), tensor]);
  }
  return [...gathered.values()].flatMap((list) => {
    const [first] = list;
    if (!first) return [];
    const { part, block } = first;
    return [{ part, block, size: sum(list, 'size'), present: sum(list, 'present'), tensors: list }];
  });
}
