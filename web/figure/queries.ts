// All that one figure asks of the engine, in one place: it runs the figure's session, fetches pictures, exact values,
// explanations and the next tokens. The newest request wins.
import type {
  ComputeProgress,
  Edit,
  Engine,
  HeadStatistics,
  NextToken,
  Picture,
  Region,
  Session,
  Span,
  Stage,
  Token,
} from '../engine/api';
import type { Explanation } from '../engine/explanation';
import type { QueryAnswer } from '../engine/head-queries';
import { type OffBy, type StageId, stageIds } from '../ui/state';
import { type FlowData, type FlowPart, flowShape } from '../views/flow/data';
import type { Layout } from '../views/flow/layout';
import { type FlowShape, nodeName, stageColumns, stageSpec } from '../views/flow/stages';
import type { KeptStage } from '../views/weights/data';
import type { BlockHeads, HeadMeasures, Square } from './shown';

export interface FigureRequest {
  readonly tokens: readonly Token[];
  /** Heads that are switched off. */
  readonly edits: readonly Edit[];
  readonly block: number;
  readonly head: number;
  /** The lit token. */
  readonly row: number;
  readonly rows: Span;
}

/** What may be loaded for the figure without asking. */
export interface Allowed {
  /** Weights for the attention of blocks up to this one. */
  readonly block: number;
  /** All weights, for the next token. */
  readonly answer: boolean;
}

/** How many bins the pictures of the first screen get, at most. */
export interface ScreenPlan {
  readonly rows: number;
  readonly columns: number;
  /** Of a thumbnail, in each direction. */
  readonly bins: number;
}

/** `key`: what an answer was computed from, as runOf gives it. */
export interface QueryEvents {
  progress(progress: ComputeProgress): void;
  square(square: Square): void;
  flow(data: FlowData): void;
  heads(key: string, block: number, heads: BlockHeads): void;
  /** `before`: with all heads on, where some are off. */
  next(key: string, tokens: readonly NextToken[], before: readonly NextToken[] | null): void;
  /** The goal lacks so many bytes, which are not allowed to be loaded: it is left. */
  lacks(goal: Stage, bytes: number): void;
  failure(error: unknown): void;
}

const measuresOf = ({ previousToken, firstToken, self, entropy, repeats }: HeadStatistics): HeadMeasures => ({
  previous: previousToken,
  first: firstToken,
  itself: self,
  repeats: repeats ?? null,
  sharpness: 1 - entropy,
});

/** The stages of the large square, by the nodes that hold them. */
const squareNodes: Readonly<Record<KeptStage, StageId>> = { raw: 'raw', scaled: 'scaled', masked: 'masked', p: 'p' };

/** Pictures of a prompt that are kept: four figures' worth, those used last. */
const KEPT_PICTURES = 4 * (stageIds.length + Object.keys(squareNodes).length);

/** So many of the likeliest tokens are listed; more of them are compared where heads are off. */
const LISTED = 10;
const COMPARED = 400;

/** Names what is computed: tokens and heads off. */
export const runOf = (tokens: readonly Token[], edits: readonly Edit[]): string =>
  `${idsOf(tokens)}${edits.length > 0 ? JSON.stringify(edits) : ''}`;

export const idsOf = (tokens: readonly Token[]): string => tokens.map(({ id }) => id).join();

const superseded = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'superseded';

/** Ends a session that may never have come to be, or has ended with its engine. */
const end = (session: Promise<Session> | null): void =>
  void session?.then((open) => open.close()).catch(() => undefined);

export class FigureQueries {
  readonly #engine: Engine;
  readonly #session: Promise<Session>;
  readonly #events: QueryEvents;
  /** Counts requests: answers to any but the last are dropped. */
  #newest = 0;
  #ids = '';
  /** Blocks whose heads are in the map, for the tokens of now. */
  #mapped = new Set<number>();
  #answered = '';
  #edits = '[]';
  /** The same tokens with all heads on, while some are off; made when the first is switched off. */
  #allOn: { readonly session: Promise<Session>; ids: string } | null = null;
  #pictures = new Map<string, Picture>();
  /** Explanations run blocks of their own. */
  #explaining: { readonly session: Promise<Session>; run: string } | null = null;

  constructor(engine: Engine, events: QueryEvents) {
    this.#engine = engine;
    this.#events = events;
    this.#session = engine.createSession();
    this.#session.catch(() => undefined); // Whoever asks something is told.
  }

  /** Exact values of the tokens that the figure shows. */
  async values(region: Region): Promise<Float32Array> {
    const session = await this.#session;
    return (await session.region(region)).data;
  }

  async explain(tokens: readonly Token[], edits: readonly Edit[], cell: string): Promise<Explanation> {
    this.#explaining ??= { session: this.#engine.createSession(), run: '' };
    const explaining = this.#explaining;
    const session = await explaining.session;
    const run = runOf(tokens, edits);
    if (run !== explaining.run) {
      explaining.run = run;
      await session.setTokens(tokens.map(({ id }) => id));
      await session.setEdits(edits).catch((error) => {
        this.#edits = '?'; // Whatever comes next is asked for.
        throw error;
      });
    }
    return session.explain(cell);
  }

  /** Nothing is explained any more. */
  endExplaining(): void {
    end(this.#explaining?.session ?? null);
    this.#explaining = null;
  }

  /** Bytes that the next token still lacks. */
  async lackingForNext(): Promise<number> {
    const session = await this.#session;
    return session.lacking({ kind: 'logits', block: 0 });
  }

  /** Frees all that was held; no event tells of anything from then on. */
  close(): void {
    this.#newest++;
    this.#endAllOn();
    this.endExplaining();
    end(this.#session);
  }

  /** Brings the figure up to date with a request; `plan` says how many bins each tensor gets. */
  async show(request: FigureRequest, plan: Layout, screen: ScreenPlan, allowed: Allowed): Promise<void> {
    const mine = ++this.#newest;
    const current = (): boolean => mine === this.#newest;
    try {
      const session = await this.#session;
      const ids = idsOf(request.tokens);
      const key = runOf(request.tokens, request.edits);
      if (ids !== this.#ids) {
        this.#ids = ids;
        this.#answered = '';
        this.#mapped.clear();
        this.#pictures.clear();
        await session.setTokens(request.tokens.map(({ id }) => id));
        if (!current()) return;
      }
      await this.#switch(session, request.edits);
      if (!current()) return;
      const goal = { kind: 'attention', block: request.block } as const;
      if (request.block > allowed.block && (await this.#lacks(session, goal, current))) return;
      if (!current()) return;
      await session.run(goal, true, (progress) => current() && this.#events.progress(progress));
      if (!current()) return;
      const square = await this.#square(session, request, screen);
      if (!current()) return;
      this.#events.square(square);
      const data = await this.#flow(session, request, plan, square.weights);
      if (!current()) return;
      this.#events.flow(data);
      await this.#heads(session, key, request, screen, current);
      if (current()) await this.#next(session, request, key, allowed.answer, current);
      if (current()) await this.#others(session, key, request, allowed, screen, current);
    } catch (error) {
      if (current() && !superseded(error)) this.#events.failure(error);
    }
  }

  /** Heads off as the request has them; what was shown of blocks that then change is forgotten. */
  async #switch(session: Session, edits: readonly Edit[]): Promise<void> {
    const wanted = JSON.stringify(edits);
    if (wanted === this.#edits) return;
    // Nothing is waited for before the edits are asked for: another request may come meanwhile.
    if (edits.length > 0 && !this.#allOn && this.#edits === '[]')
      this.#allOn = { session: session.fork(), ids: this.#ids };
    this.#allOn?.session.catch(() => undefined); // Whoever asks it is told.
    if (edits.length === 0) this.#endAllOn();
    this.#edits = wanted;
    this.#answered = '';
    this.#mapped.clear();
    this.#pictures.clear();
    await session.setEdits(edits).catch((error) => {
      this.#edits = '?'; // Whatever comes next is asked for.
      throw error;
    });
  }

  #endAllOn(): void {
    void this.#allOn?.session.then((session) => session.close()).catch(() => undefined);
    this.#allOn = null;
  }

  /** The likeliest tokens with all heads on. */
  async #before({ tokens }: FigureRequest, count: number): Promise<readonly NextToken[]> {
    const ids = idsOf(tokens);
    this.#allOn ??= { session: this.#engine.createSession(), ids: '' };
    const allOn = this.#allOn;
    const session = await allOn.session;
    if (allOn.ids !== ids) {
      allOn.ids = ids;
      await session.setTokens(tokens.map(({ id }) => id));
    }
    return session.next(count);
  }

  /** What happens to the likeliest token without each head in turn; ends with another request. */
  async tryHeads(by: OffBy, onProgress: (done: number) => void): Promise<QueryAnswer<'HeadEffects'>> {
    const session = await this.#session;
    return session.ask('HeadEffects', { by }, onProgress);
  }

  /** What each head writes into the logit of a token after row `row`. */
  async written(row: number, token: number): Promise<QueryAnswer<'LogitParts'>> {
    const session = await this.#session;
    return session.ask('LogitParts', { row, token });
  }

  async #square(session: Session, { block, head, row, rows, tokens }: FigureRequest, plan: ScreenPlan) {
    const columns: Span = [0, tokens.length];
    const stages = Object.keys(squareNodes) as KeptStage[];
    const read = stages.map(async (stage): Promise<[KeptStage, Picture]> => {
      const region = { node: nodeName(squareNodes[stage], block), head, rows, columns };
      return [stage, await this.#picture(session, region, plan.rows, plan.columns)];
    });
    const [weights, pictures] = await Promise.all([this.row(block, head, row, tokens.length), Promise.all(read)]);
    return { block, head, rows, row, weights, pictures: new Map(pictures) };
  }

  /** P[row, 0 .. T) of a head whose block can be read. */
  async row(block: number, head: number, row: number, tokens: number): Promise<Float32Array> {
    const session = await this.#session;
    const region = { node: nodeName('p', block), head, rows: [row, row + 1], columns: [0, tokens] } as const;
    return (await session.region(region)).data;
  }

  async #flow(session: Session, request: FigureRequest, plan: Layout, weights: Float32Array): Promise<FlowData> {
    const shape = flowShape(this.#engine.info, request.tokens.length);
    const boxes = new Map(plan.lines.flatMap((line) => line.boxes).map((box) => [box.id, box]));
    const parts = await Promise.all(
      stageIds.map((id) => {
        const box = boxes.get(id);
        return this.#part(session, id, request, shape, box?.rows ?? 1, box?.columns ?? 1);
      }),
    );
    return {
      model: this.#engine.info,
      tokens: request.tokens,
      block: request.block,
      head: request.head,
      shape,
      rows: request.rows,
      parts: new Map(parts.map((part) => [part.stage, part])),
      query: { row: request.row, weights },
    };
  }

  async #part(
    session: Session,
    stage: StageId,
    request: FigureRequest,
    shape: FlowShape,
    rows: number,
    columns: number,
  ): Promise<FlowPart> {
    const region = {
      node: nodeName(stage, request.block),
      head: stageSpec(stage).perHead ? request.head : 0,
      rows: request.rows,
      columns: stageColumns(stage, shape),
    };
    return { stage, region, picture: await this.#picture(session, region, rows, columns) };
  }

  async #picture(session: Session, region: Region, rows: number, columns: number): Promise<Picture> {
    const key = JSON.stringify([region, rows, columns]);
    const picture = this.#pictures.get(key) ?? (await session.picture(region, rows, columns));
    this.#pictures.delete(key);
    this.#pictures.set(key, picture); // Last among those that were used.
    for (const [oldest] of this.#pictures) {
      if (this.#pictures.size <= KEPT_PICTURES) break;
      this.#pictures.delete(oldest);
    }
    return picture;
  }

  /** Thumbnails and measures of every head of the block, which has been run. */
  async #heads(
    session: Session,
    key: string,
    { tokens, block }: { tokens: readonly Token[]; block: number },
    plan: ScreenPlan,
    current: () => boolean,
  ): Promise<void> {
    if (this.#mapped.has(block)) return;
    const all: Span = [0, tokens.length];
    const statistics = await session.heads(block);
    const pictures = await Promise.all(
      statistics.map(({ head }) => {
        const region = { node: nodeName('p', block), head, rows: all, columns: all };
        return session.picture(region, plan.bins, plan.bins);
      }),
    );
    if (!current()) return;
    this.#mapped.add(block);
    this.#events.heads(key, block, { pictures, measures: statistics.map(measuresOf) });
  }

  /** The heads of all other blocks that may be loaded, from the first on. */
  async #others(
    session: Session,
    key: string,
    { tokens }: FigureRequest,
    allowed: Allowed,
    plan: ScreenPlan,
    current: () => boolean,
  ): Promise<void> {
    const { blockCount } = this.#engine.info.config;
    for (let block = 0; block < blockCount && current(); block++) {
      if (this.#mapped.has(block) || block > allowed.block) continue;
      await session.run({ kind: 'attention', block }, true);
      if (current()) await this.#heads(session, key, { tokens, block }, plan, current);
    }
  }

  /** Says so where bytes are lacking. */
  async #lacks(session: Session, goal: Stage, current: () => boolean): Promise<boolean> {
    const bytes = await session.lacking(goal);
    if (bytes > 0 && current()) this.#events.lacks(goal, bytes);
    return bytes > 0;
  }

  async #next(
    session: Session,
    request: FigureRequest,
    key: string,
    allowed: boolean,
    current: () => boolean,
  ): Promise<void> {
    if (key === this.#answered) return;
    const goal = { kind: 'logits', block: 0 } as const;
    if (!allowed && (await this.#lacks(session, goal, current))) return;
    if (!current()) return;
    await session.run(goal, false, (progress) => current() && this.#events.progress(progress));
    if (!current()) return;
    const off = request.edits.length > 0;
    const next = await session.next(off ? COMPARED : LISTED);
    const before = off ? await this.#before(request, COMPARED) : null;
    if (!current()) return;
    this.#answered = key;
    this.#events.next(key, next, before);
  }
}
