// All that one figure asks of the engine, in one place: it runs the figure's session, fetches pictures, exact values,
// explanations and the next tokens. The newest request wins.
import type { ComputeProgress, Engine, NextToken, Region, Session, Span, Stage, Token } from '../engine/api';
import type { Explanation } from '../engine/explanation';
import { type StageId, stageIds } from '../ui/state';
import { type FlowData, type FlowPart, flowShape, type HeadThumbnail } from '../views/flow/data';
import type { Layout } from '../views/flow/layout';
import { MOST_ROWS } from '../views/flow/layout';
import { type FlowShape, nodeName, stageColumns, stageSpec } from '../views/flow/stages';

export interface FigureRequest {
  readonly tokens: readonly Token[];
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

/** `ids`: the tokens that an answer was computed from, as idsOf gives them. */
export interface QueryEvents {
  progress(progress: ComputeProgress): void;
  flow(data: FlowData): void;
  heads(ids: string, block: number, heads: readonly HeadThumbnail[]): void;
  next(ids: string, tokens: readonly NextToken[]): void;
  /** The goal lacks so many bytes, which are not allowed to be loaded: it is left. */
  lacks(goal: Stage, bytes: number): void;
  failure(error: unknown): void;
}

const THUMBNAIL_BINS = 44;
/** Pictures of a prompt that are kept: four figures' worth, those used last. */
const KEPT_PARTS = 4 * stageIds.length;

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
  #thumbnails = '';
  #answered = '';
  #parts = new Map<string, FlowPart>();
  /** Explanations run blocks of their own. */
  #explaining: { readonly session: Promise<Session>; ids: string } | null = null;

  constructor(engine: Engine, events: QueryEvents) {
    this.#engine = engine;
    this.#events = events;
    this.#session = engine.createSession();
    this.#session.catch(() => undefined); // Whoever asks something is told.
  }

  tokenize(text: string): Promise<readonly Token[]> {
    return this.#engine.tokenize(text);
  }

  /** Exact values of the tokens that the figure shows. */
  async values(region: Region): Promise<Float32Array> {
    const session = await this.#session;
    return (await session.region(region)).data;
  }

  async explain(tokens: readonly Token[], cell: string): Promise<Explanation> {
    this.#explaining ??= { session: this.#engine.createSession(), ids: '' };
    const explaining = this.#explaining;
    const session = await explaining.session;
    const ids = idsOf(tokens);
    if (ids !== explaining.ids) {
      explaining.ids = ids;
      await session.setTokens(tokens.map(({ id }) => id));
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
    this.endExplaining();
    end(this.#session);
  }

  /** Brings the figure up to date with a request; `plan` says how many bins each tensor gets. */
  async show(request: FigureRequest, plan: Layout, allowed: Allowed): Promise<void> {
    const mine = ++this.#newest;
    const current = (): boolean => mine === this.#newest;
    try {
      const session = await this.#session;
      const key = idsOf(request.tokens);
      if (key !== this.#ids) {
        this.#ids = key;
        this.#answered = '';
        this.#thumbnails = '';
        this.#parts.clear();
        await session.setTokens(request.tokens.map(({ id }) => id));
        if (!current()) return;
      }
      const goal = { kind: 'attention', block: request.block } as const;
      if (request.block > allowed.block && (await this.#lacks(session, goal, current))) return;
      if (!current()) return;
      await session.run(goal, true, (progress) => current() && this.#events.progress(progress));
      if (!current()) return;
      const data = await this.#flow(session, request, plan);
      if (!current()) return;
      this.#events.flow(data);
      await this.#heads(session, request, current);
      if (current()) await this.#next(session, key, allowed.answer, current);
    } catch (error) {
      if (current() && !superseded(error)) this.#events.failure(error);
    }
  }

  async #flow(session: Session, request: FigureRequest, plan: Layout): Promise<FlowData> {
    const shape = flowShape(this.#engine.info, request.tokens.length);
    const boxes = new Map(plan.lines.flatMap((line) => line.boxes).map((box) => [box.id, box]));
    const parts = await Promise.all(
      stageIds.map((id) => {
        const box = boxes.get(id);
        return this.#part(session, id, request, shape, box?.rows ?? 1, box?.columns ?? 1);
      }),
    );
    const weights = await session.region({
      node: nodeName('p', request.block),
      head: request.head,
      rows: [request.row, request.row + 1],
      columns: [0, request.tokens.length],
    });
    return {
      model: this.#engine.info,
      tokens: request.tokens,
      block: request.block,
      head: request.head,
      shape,
      rows: request.rows,
      parts: new Map(parts.map((part) => [part.stage, part])),
      query: { row: request.row, weights: weights.data },
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
    const key = JSON.stringify([region, stage, rows, columns]);
    const known = this.#parts.get(key);
    const part = known ?? { stage, region, picture: await session.picture(region, rows, columns) };
    this.#parts.delete(key);
    this.#parts.set(key, part); // Last among those that were used.
    for (const [oldest] of this.#parts) {
      if (this.#parts.size <= KEPT_PARTS) break;
      this.#parts.delete(oldest);
    }
    return part;
  }

  /** Thumbnails of every head's weights. */
  async #heads(session: Session, request: FigureRequest, current: () => boolean): Promise<void> {
    const key = `${this.#ids}|${request.block}`;
    if (key === this.#thumbnails) return;
    const all: Span = [0, request.tokens.length];
    const bins = Math.min(THUMBNAIL_BINS, MOST_ROWS, request.tokens.length);
    const statistics = await session.heads(request.block);
    const pictures = await Promise.all(
      statistics.map(({ head }) => {
        const region = { node: nodeName('p', request.block), head, rows: all, columns: all };
        return session.picture(region, bins, bins);
      }),
    );
    if (!current()) return;
    this.#thumbnails = key;
    this.#events.heads(
      this.#ids,
      request.block,
      statistics.flatMap((one, index) => {
        const picture = pictures[index];
        return picture ? [{ statistics: one, picture }] : [];
      }),
    );
  }

  /** Says so where bytes are lacking. */
  async #lacks(session: Session, goal: Stage, current: () => boolean): Promise<boolean> {
    const bytes = await session.lacking(goal);
    if (bytes > 0 && current()) this.#events.lacks(goal, bytes);
    return bytes > 0;
  }

  async #next(session: Session, key: string, allowed: boolean, current: () => boolean): Promise<void> {
    if (key === this.#answered) return;
    const goal = { kind: 'logits', block: 0 } as const;
    if (!allowed && (await this.#lacks(session, goal, current))) return;
    if (!current()) return;
    await session.run(goal, false, (progress) => current() && this.#events.progress(progress));
    if (!current()) return;
    const next = await session.next(10);
    if (!current()) return;
    this.#answered = key;
    this.#events.next(key, next);
  }
}
