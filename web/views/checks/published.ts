// A model against the numbers that are published for GPT-2 small: what `headflow verify` compares, one after another.
import type { Engine, ModelInfo, Session } from '../../engine/api';
import { significant } from '../../ui/numbers';
import type { Golden, KnownNumber, KnownPrompt } from './golden';

/** One number or text. */
export interface Comparison {
  /** "kq_soft_max-0, head 0 [1, 0] of "How are"" */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
  /** 0 for texts that are the same, infinite for those that are not. */
  readonly difference: number;
  readonly tolerance: number;
}

export const holds = ({ difference, tolerance }: Comparison): boolean => difference <= tolerance;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function ofTexts(what: string, expected: unknown, got: unknown): Comparison {
  const texts = { what, expected: textOf(expected), got: textOf(got) };
  return { ...texts, difference: texts.expected === texts.got ? 0 : Number.POSITIVE_INFINITY, tolerance: 0 };
}

function ofNumbers(what: string, expected: number, got: number, tolerance: number): Comparison {
  const difference = Math.abs(got - expected);
  return {
    what,
    expected: significant(expected, 6),
    got: significant(got, 6),
    // What is no number differs by more than any tolerance.
    difference: difference >= 0 ? difference : Number.POSITIVE_INFINITY,
    tolerance,
  };
}

async function* header(golden: Golden, engine: Engine): AsyncGenerator<Comparison> {
  const { gguf, tensors, tensorsPerBlock } = golden;
  for (const [key, value] of Object.entries(gguf)) yield ofTexts(key, value, (await engine.metadata(key)) ?? 'absent');
  const present = (await engine.status()).tensors;
  if (tensorsPerBlock !== null) {
    yield ofTexts(
      'tensors of block 0',
      tensorsPerBlock,
      present.filter(({ name }) => name.startsWith('blk.0.')).length,
    );
  }
  for (const [name, { shape, type }] of Object.entries(tensors)) {
    const tensor = present.find((one) => one.name === name);
    if (!tensor) yield ofTexts(`tensor ${name}`, { shape, type }, 'absent');
    else {
      yield ofTexts(`shape of ${name}`, shape, tensor.ggmlShape);
      if (type !== undefined) yield ofTexts(`type of ${name}`, type, tensor.type);
    }
  }
  for (const { text, ids } of golden.tokenize) {
    const tokens = await engine.tokenize(text);
    yield ofTexts(
      `tokens of ${JSON.stringify(text)}`,
      ids,
      tokens.map(({ id }) => id),
    );
  }
  for (const { merge, rank } of golden.mergeRanks) {
    yield ofTexts(`rank of merge "${merge}"`, rank, await engine.mergeRank(merge));
  }
}

async function read(session: Session, { node, head, row, column }: KnownNumber): Promise<number> {
  const { data } = await session.region({ node, head: head ?? 0, rows: [row, row + 1], columns: [column, column + 1] });
  return data[0] ?? Number.NaN;
}

async function* numbers(prompt: KnownPrompt, golden: Golden, model: ModelInfo, session: Session) {
  const { values, scores } = golden.tolerances;
  for (const known of prompt.numbers) {
    const { node, head, row, column, value } = known;
    const info = model.nodes.find(({ name, perBlock }) => node === name || (perBlock && node.startsWith(`${name}-`)));
    const block = Number(/-(\d+)$/.exec(node)?.[1] ?? 0);
    await session.run({ kind: info?.stage ?? 'embed', block }, true);
    const of = `${node}${head === null ? '' : `, head ${head}`} [${row}, ${column}] of ${JSON.stringify(prompt.text)}`;
    yield ofNumbers(of, value, await read(session, known), info?.name === 'kq' ? scores : values);
  }
}

async function* continuation(prompt: KnownPrompt, golden: Golden, engine: Engine, session: Session) {
  const of = JSON.stringify(prompt.text);
  const found = prompt.next.length > 0 ? await session.next(prompt.next.length) : [];
  for (const [index, { id, logprob }] of prompt.next.entries()) {
    const what = `${index + 1}. next token of ${of}`;
    const next = found[index];
    yield ofTexts(what, id, next?.id ?? null);
    yield ofNumbers(`${what}, log probability`, logprob, Math.log(next?.probability ?? 0), golden.tolerances.logprobs);
  }
  for (const { key, count, text } of prompt.greedy) {
    const tokens = [...(await engine.tokenize(prompt.text))];
    for (let i = 0; i < count; i++) {
      await session.setTokens(tokens.map(({ id }) => id));
      tokens.push(...(await session.next(1)));
    }
    const bytes = Uint8Array.from(tokens.flatMap((token) => [...token.bytes]));
    yield ofTexts(`${key} after ${of}`, text, new TextDecoder().decode(bytes));
  }
}

/**
 * Compares whatever `golden` says, in its order. Loads and computes what that needs; `session` is used for nothing else
 * meanwhile.
 */
export async function* comparisons(golden: Golden, engine: Engine, session: Session): AsyncGenerator<Comparison> {
  yield* header(golden, engine);
  for (const prompt of golden.prompts) {
    const tokens = await engine.tokenize(prompt.text);
    await session.setTokens(tokens.map(({ id }) => id));
    yield* numbers(prompt, golden, engine.info, session);
    yield* continuation(prompt, golden, engine, session);
  }
}
