// The order of stages in a forward pass.
import type { Stage } from './api';

/** Where a stage stands: embed first, then attention and MLP of each block, logits last. */
export function stageOrder(stage: Stage): number {
  switch (stage.kind) {
    case 'embed':
      return 0;
    case 'attention':
      return 1 + 2 * stage.block;
    case 'mlp':
      return 2 + 2 * stage.block;
    case 'logits':
      return Number.MAX_SAFE_INTEGER;
  }
}

/** Every stage that `goal` needs, itself included, in order. */
export function stagesUpTo(goal: Stage, blockCount: number): Stage[] {
  const stages: Stage[] = [{ kind: 'embed', block: 0 }];
  for (let block = 0; block < blockCount; ++block) {
    stages.push({ kind: 'attention', block }, { kind: 'mlp', block });
  }
  stages.push({ kind: 'logits', block: 0 });
  return stages.filter((stage) => stageOrder(stage) <= stageOrder(goal));
}
