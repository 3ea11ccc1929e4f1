// What the stories of the embedded model claim, computed with the command: every weight and every probability.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { readNpy } from '../../web/test/npy';
import { embedded, scratchFolder, succeeds } from './command';

interface Claim {
  readonly off?: readonly string[];
}
interface WeightClaim extends Claim {
  readonly block: number;
  readonly head: number;
  readonly row: number;
  readonly key: number;
  readonly weight: number;
}
interface NextClaim extends Claim {
  readonly piece: string;
  readonly probability: number;
}
interface Story {
  readonly id: string;
  readonly prompt: string;
  readonly block: number;
  readonly head: number;
  readonly row: number;
  readonly weights: readonly WeightClaim[];
  readonly next: readonly NextClaim[];
}

const scratch = scratchFolder();
const path = join(import.meta.dirname, '..', '..', 'models', 'headflow-small.stories.json');
const stories: readonly Story[] = JSON.parse(readFileSync(path, 'utf8'));

const offArguments = ({ off }: Claim): string[] => (off ? ['--off', off.join()] : []);

function weight(prompt: string, claim: WeightClaim): number {
  const node = `kq_soft_max-${claim.block}`;
  succeeds('trace', embedded, '--prompt', prompt, '--node', node, '--out', scratch, ...offArguments(claim));
  const { shape, values } = readNpy(join(scratch, `${node}.npy`));
  const [, tokens = 0] = shape;
  return values[(claim.head * tokens + claim.row) * tokens + claim.key] ?? Number.NaN;
}

test('there are five, and the page opens on the first', () => {
  assert.equal(stories.length, 5);
  assert.deepEqual([stories[0]?.block, stories[0]?.head], [3, 2]);
});

describe.each(stories)('$id', ({ prompt, row, weights, next }) => {
  test.each(weights)('head $head of block $block reads key $key with $weight', (claim) => {
    assert.ok(Math.abs(weight(prompt, claim) - claim.weight) <= 0.005, `${weight(prompt, claim)}`);
  });

  test.each(next)('$piece comes next with $probability', (claim) => {
    const list: { piece: string; probability: number }[] = JSON.parse(
      succeeds('next', embedded, '--prompt', prompt, '--top', '10', '--json', ...offArguments(claim)),
    );
    const found = list.find(({ piece }) => piece === claim.piece)?.probability ?? 0;
    assert.ok(Math.abs(found - claim.probability) <= 0.006, `${found}`);
  });

  test('its row is a token of the prompt', () => {
    const { ids } = JSON.parse(succeeds('tokenize', embedded, prompt, '--json'));
    assert.ok(row >= 0 && row < ids.length);
  });
});
