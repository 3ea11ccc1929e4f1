// What the tour speaks of: numbers of the reader's own prompt, as the engine computes them.
import type { NextToken, Session, Token } from '../../engine/api';
import { type KeyWeight, largestKeys } from '../../ui/reading';
import type { HeadPlace } from '../../ui/state';

export interface TourFacts {
  readonly tokens: readonly Token[];
  /** The last token's place: it is the one that predicts. */
  readonly last: number;
  /** The likeliest next token with all heads on. */
  readonly next: NextToken;
  /** The head that writes most straight into that token's logit, and how much. */
  readonly writer: HeadPlace;
  readonly writes: number;
  /** What the last token reads most in that head, and the key of its largest score before softmax. */
  readonly read: KeyWeight;
  readonly score: KeyWeight;
  /** What all heads and all MLPs write into that logit, the final norm's scale held fixed. */
  readonly fromHeads: number;
  readonly fromMlps: number;
  /** The same token's probability without that head, its output replaced by zeros. */
  readonly without: number;
}

/** Tokens that are looked through for the one that was likeliest before. */
const COMPARED = 400;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

async function probabilityWithout(session: Session, writer: HeadPlace, id: number): Promise<number> {
  const edited = await session.fork();
  try {
    await edited.setEdits([{ ...writer, by: 'zero' }]);
    const after = await edited.next(COMPARED);
    return after.find((token) => token.id === id)?.probability ?? 0;
  } finally {
    await edited.close();
  }
}

/** Of a session with these tokens and all heads on; null where there is nothing to tell of. */
export async function tourFacts(session: Session, tokens: readonly Token[]): Promise<TourFacts | null> {
  const last = tokens.length - 1;
  const [next] = await session.next(1);
  if (!next) return null;
  const { parts } = await session.ask('LogitParts', { row: last, token: next.id });
  const heads = parts.filter(({ source }) => source === 'head');
  const most = heads.reduce((best, part) => (part.value > best.value ? part : best), heads[0] ?? { value: 0 });
  if (!('block' in most)) return null;
  const writer = { block: most.block, head: most.head };
  await session.run({ kind: 'attention', block: writer.block }, true);
  const rowOf = async (node: string): Promise<KeyWeight> => {
    const columns = [0, tokens.length] as const;
    const region = { node: `${node}-${writer.block}`, head: writer.head, rows: [last, last + 1], columns } as const;
    const { data } = await session.region(region);
    return largestKeys({ row: last, weights: data }, 1)[0] ?? { key: 0, weight: 0 };
  };
  return {
    tokens,
    last,
    next,
    writer,
    writes: most.value,
    read: await rowOf('kq_soft_max'),
    score: await rowOf('kq_scaled'),
    fromHeads: sum(heads.map(({ value }) => value)),
    fromMlps: sum(parts.filter(({ source }) => source === 'mlp').map(({ value }) => value)),
    without: await probabilityWithout(session, writer, next.id),
  };
}
