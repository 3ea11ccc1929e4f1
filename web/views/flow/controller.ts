// Asks the engine for what one figure shows: runs the session, then fetches pictures. The newest request wins.
import type { ComputeProgress, Engine, ModelInfo, NextToken, Session, Span, Stage, Token } from '../../engine/api';
import { type StageId, stageIds } from '../../ui/state';
import type { FlowData, FlowPart, HeadThumbnail } from './data';
import type { Layout } from './layout';
import { MOST_ROWS } from './layout';
import { type FlowShape, nodeName, stageColumns, stageSpec } from './stages';

export interface FlowRequest {
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

export interface FlowEvents {
  progress(progress: ComputeProgress): void;
  flow(data: FlowData): void;
  heads(block: number, heads: readonly HeadThumbnail[]): void;
  next(tokens: readonly NextToken[]): void;
  /** The goal lacks so many bytes, which are not allowed to be loaded: it is left. */
  lacks(goal: Stage, bytes: number): void;
  failure(error: unknown): void;
}

const THUMBNAIL_BINS = 44;

export const flowShape = ({ config }: ModelInfo, tokens: number): FlowShape => ({
  tokens,
  width: config.embeddingLength,
  heads: config.headCount,
  headDim: config.headDim,
});

const superseded = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'superseded';

export class FlowController {
  readonly #engine: Engine;
  readonly #session: Session;
  readonly #events: FlowEvents;
  /** Counts requests: answers to any but the last are dropped. */
  #newest = 0;
  #ids = '';
  #thumbnails = '';
  #answered = '';
  #parts = new Map<string, FlowPart>();

  private constructor(engine: Engine, session: Session, events: FlowEvents) {
    this.#engine = engine;
    this.#session = session;
    this.#events = events;
  }

  static async open(engine: Engine, events: FlowEvents): Promise<FlowController> {
    return new FlowController(engine, await engine.createSession(), events);
  }

  get session(): Session {
    return this.#session;
  }

  /** Lets what is being asked for go: no event tells of it. */
  pause(): void {
    this.#newest++;
  }

  close(): Promise<void> {
    this.#newest++;
    return this.#session.close();
  }

  /** Brings the figure up to date with a request; `plan` says how many bins each tensor gets. */
  async show(request: FlowRequest, plan: Layout, allowed: Allowed): Promise<void> {
    const mine = ++this.#newest;
    const current = (): boolean => mine === this.#newest;
    try {
      const ids = request.tokens.map(({ id }) => id);
      const key = ids.join();
      if (key !== this.#ids) {
        this.#ids = key;
        this.#answered = '';
        this.#thumbnails = '';
        this.#parts.clear();
        await this.#session.setTokens(ids);
        if (!current()) return;
      }
      const goal = { kind: 'attention', block: request.block } as const;
      if (request.block > allowed.block && (await this.#lacks(goal, current))) return;
      if (!current()) return;
      await this.#session.run(goal, true, (progress) => current() && this.#events.progress(progress));
      if (!current()) return;
      const data = await this.#flow(request, plan);
      if (!current()) return;
      this.#events.flow(data);
      await this.#heads(request, current);
      if (current()) await this.#next(key, allowed.answer, current);
    } catch (error) {
      if (current() && !superseded(error)) this.#events.failure(error);
    }
  }

  async #flow(request: FlowRequest, plan: Layout): Promise<FlowData> {
    const shape = flowShape(this.#engine.info, request.tokens.length);
    const boxes = new Map(plan.lines.flatMap((line) => line.boxes).map((box) => [box.id, box]));
    const parts = await Promise.all(
      stageIds.map((id) => {
        const box = boxes.get(id);
        return this.#part(id, request, shape, box?.rows ?? 1, box?.columns ?? 1);
      }),
    );
    const weights = await this.#session.region({
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
    stage: StageId,
    request: FlowRequest,
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
    if (known) return known;
    const part = { stage, region, picture: await this.#session.picture(region, rows, columns) };
    this.#parts.set(key, part);
    return part;
  }

  /** Thumbnails of every head's weights. */
  async #heads(request: FlowRequest, current: () => boolean): Promise<void> {
    const key = `${this.#ids}|${request.block}`;
    if (key === this.#thumbnails) return;
    const all: Span = [0, request.tokens.length];
    const bins = Math.min(THUMBNAIL_BINS, MOST_ROWS, request.tokens.length);
    const statistics = await this.#session.heads(request.block);
    const pictures = await Promise.all(
      statistics.map(({ head }) => {
        const region = { node: nodeName('p', request.block), head, rows: all, columns: all };
        return this.#session.picture(region, bins, bins);
      }),
    );
    if (!current()) return;
    this.#thumbnails = key;
    this.#events.heads(
      request.block,
      statistics.flatMap((one, index) => {
        const picture = pictures[index];
        return picture ? [{ statistics: one, picture }] : [];
      }),
    );
  }

  /** Says so where bytes are lacking. */
  async #lacks(goal: Stage, current: () => boolean): Promise<boolean> {
    const bytes = await this.#session.lacking(goal);
    if (bytes > 0 && current()) this.#events.lacks(goal, bytes);
    return bytes > 0;
  }

  async #next(key: string, allowed: boolean, current: () => boolean): Promise<void> {
    if (key === this.#answered) return;
    const goal = { kind: 'logits', block: 0 } as const;
    if (!allowed && (await this.#lacks(goal, current))) return;
    if (!current()) return;
    await this.#session.run(goal, false, (progress) => current() && this.#events.progress(progress));
    if (!current()) return;
    const next = await this.#session.next(10);
    if (!current()) return;
    this.#answered = key;
    this.#events.next(next);
  }
}
