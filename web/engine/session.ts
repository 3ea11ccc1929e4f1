// One figure's forward pass over the wasm session, cut into bounded calls.
import type {
  Check,
  CheckName,
  ComputeProgress,
  Edit,
  HeadStatistics,
  LogValues,
  NextToken,
  Picture,
  Region,
  Session,
  Stage,
  Tensor,
} from './api';
import { EngineError } from './errors';
import type { Explanation } from './explanation';
import { makeQuery, type QueryAnswer, type QueryName, type QueryRequest } from './head-queries';
import type { Loader } from './loader/loader';
import type { WasmModule, WasmRegion, WasmSession } from './module';
import type { Pace } from './pace';
import type { Lane, Scheduler, Ticket } from './scheduler';
import { stagesUpTo } from './stages';

/** What all sessions of an engine share. */
export interface Shared {
  readonly module: WasmModule;
  readonly loader: Loader;
  readonly scheduler: Scheduler;
  /** Computing and reading take different times per multiply-accumulate. */
  readonly computePace: Pace;
  readonly readPace: Pace;
  readonly blockCount: number;
  readonly headCount: number;
  readonly vocabularySize: number;
}

export class ThreadSession implements Session {
  readonly #shared: Shared;
  readonly #wasm: WasmSession;
  readonly #lane: Lane = { served: 0 };
  #ids = new Int32Array();
  /** Ends all work for the prompt. */
  #prompt = new AbortController();
  /** Bounded calls for each prompt so far; the last one is the present prompt's. */
  readonly #calls = [0];
  readonly #onClose: () => void;
  readonly #fork: (wasm: WasmSession, ids: Int32Array<ArrayBuffer>) => ThreadSession;
  #jobs = 0;

  /** `fork`: makes another session that shares with the one of this wasm session. */
  constructor(
    shared: Shared,
    onClose: () => void,
    fork: (wasm: WasmSession, ids: Int32Array<ArrayBuffer>) => ThreadSession,
    from: { readonly wasm: WasmSession; readonly ids: Int32Array<ArrayBuffer> } | null = null,
  ) {
    this.#shared = shared;
    this.#onClose = onClose;
    this.#fork = fork;
    this.#wasm = from?.wasm ?? new shared.module.Session(shared.loader.model);
    this.#ids = from?.ids ?? this.#ids;
  }

  async setTokens(ids: readonly number[]): Promise<void> {
    this.#prompt.signal.throwIfAborted();
    const next = Int32Array.from(ids);
    this.#wasm.setTokens(next);
    this.#abandon(new EngineError('superseded', 'A newer prompt has replaced this one.'));
    this.#prompt = new AbortController();
    this.#ids = next;
    this.#calls.push(0);
    this.#lane.served = 0; // Whoever types is served next.
  }

  async setEdits(edits: readonly Edit[]): Promise<void> {
    this.#prompt.signal.throwIfAborted();
    this.#wasm.setEdits([...edits]);
    this.#abandon(new EngineError('superseded', 'Other heads have been switched.'));
    this.#prompt = new AbortController();
    this.#calls.push(0);
    this.#lane.served = 0;
  }

  async fork(): Promise<ThreadSession> {
    this.#prompt.signal.throwIfAborted();
    const wasm = this.#wasm.fork();
    if (wasm === null) throw new EngineError('internal', 'The engine has forked no session.');
    return this.#fork(wasm, this.#ids);
  }

  async ask<Name extends QueryName>(
    name: Name,
    request: QueryRequest<Name>,
    onProgress: (done: number) => void = () => undefined,
  ): Promise<QueryAnswer<Name>> {
    const { module, loader, computePace } = this.#shared;
    const ticket = this.#ticket('compute');
    const ids = this.#ids;
    const query = makeQuery(module, name, this.#wasm, request);
    try {
      for (let answered = 0; ; ) {
        const { done, blocked, stage, rows } = await this.#call(ticket, () =>
          computePace.measure(
            () => query.advance(computePace.work),
            () => false, // Slices of several kinds: too uneven to learn from that a call may do more.
          ),
        );
        if (rows !== answered) onProgress(rows);
        answered = rows;
        if (done) return query.answer();
        if (blocked) await loader.load(stage, ids, ticket.signal);
      }
    } finally {
      query.delete();
    }
  }

  async run(goal: Stage, traced: boolean, onProgress?: (progress: ComputeProgress) => void): Promise<void> {
    const { loader, computePace, blockCount } = this.#shared;
    const ticket = this.#ticket('compute');
    const ids = this.#ids;
    const bring = (stage: Stage) => loader.load(stage, ids, ticket.signal);
    for (const stage of stagesUpTo(goal, blockCount)) {
      bring(stage).catch(() => undefined); // Asked for early; a failure shows where the stage is waited for.
    }
    for (;;) {
      const { done, blocked, stage, rows } = await this.#call(ticket, () =>
        computePace.measure(
          () => this.#wasm.advance(goal, traced, computePace.work),
          (progress) => !progress.blocked && progress.rows < ids.length,
        ),
      );
      onProgress?.({ stage, rows, rowCount: ids.length });
      if (done) return;
      if (blocked) await bring(stage);
    }
  }

  async region(region: Region): Promise<Tensor> {
    const ticket = this.#ticket('read');
    const shape = this.#check(region);
    const data = new Float32Array(shape[0] * shape[1]);
    let filled = 0;
    await this.#eachBand(ticket, region, (band) => {
      const values = this.#wasm.read(band);
      data.set(values, filled);
      filled += values.length;
    });
    return { shape, data };
  }

  async picture(region: Region, height: number, width: number): Promise<Picture> {
    const ticket = this.#ticket('read');
    const [rows, columns] = this.#check(region);
    const builder = new this.#shared.module.PictureBuilder(rows, columns, height, width);
    try {
      await this.#eachBand(ticket, region, (band) => builder.add(this.#wasm, band));
      const picture = builder.finish();
      return {
        shape: [picture.height, picture.width],
        data: picture.data,
        binSize: [picture.binRows, picture.binColumns],
        minimum: picture.minimum,
        maximum: picture.maximum,
        quantile99: picture.quantile99,
      };
    } finally {
      builder.delete();
    }
  }

  async heads(block: number): Promise<readonly HeadStatistics[]> {
    const ticket = this.#ticket('read');
    const statistics: HeadStatistics[] = [];
    for (let head = 0; head < this.#shared.headCount; ++head) {
      statistics.push({ head, ...(await this.#statistics(ticket, block, head)) });
    }
    return statistics;
  }

  async #statistics(ticket: Ticket, block: number, head: number): Promise<Omit<HeadStatistics, 'head'>> {
    const all = [0, this.#ids.length] as const;
    const region = { node: `kq_soft_max-${block}`, head, rows: all, columns: all };
    this.#check(region);
    const builder = new this.#shared.module.HeadStatisticsBuilder(this.#wasm);
    try {
      await this.#eachBand(ticket, region, (band) => builder.add(this.#wasm, band));
      return builder.finish();
    } finally {
      builder.delete();
    }
  }

  async checks(block: number): Promise<readonly Check[]> {
    const ticket = this.#ticket('read');
    await this.run({ kind: 'mlp', block }, true);
    const { module, loader, readPace } = this.#shared;
    const checks = new module.BlockChecks(loader.model, this.#wasm, block);
    try {
      const advance = () =>
        readPace.measure(
          () => checks.advance(this.#wasm, readPace.work),
          () => false, // Slices of several kinds: too uneven to learn from that a call may do more.
        );
      while (!(await this.#call(ticket, advance)));
      return checks.results().map((check) => ({ ...check, name: check.name as CheckName }));
    } finally {
      checks.delete();
    }
  }

  async next(count: number, row = this.#ids.length - 1): Promise<readonly NextToken[]> {
    const ticket = this.#ticket('read');
    this.#check({ node: 'result_output', head: 0, rows: [row, row + 1], columns: [0, this.#shared.vocabularySize] });
    await this.run({ kind: 'logits', block: 0 }, false);
    const likeliest = await this.#call(ticket, () => this.#wasm.likeliest(row, count));
    return likeliest.map((token) => ({ ...token, bytes: this.#shared.loader.model.tokenBytes(token.id) }));
  }

  async explain(cell: string): Promise<Explanation> {
    const ticket = this.#ticket('read');
    await this.run(this.#wasm.stageBehind(cell), true);
    return this.#call(ticket, () => this.#wasm.explain(cell));
  }

  async lacking(goal: Stage): Promise<number> {
    this.#prompt.signal.throwIfAborted();
    const { loader, blockCount } = this.#shared;
    return loader.lackingSize(stagesUpTo(goal, blockCount), this.#ids);
  }

  async logValues(node: string): Promise<LogValues> {
    const ticket = this.#ticket('read');
    const { module, readPace } = this.#shared;
    const reader = new module.LogValuesReader(this.#wasm, node);
    try {
      const advance = () =>
        readPace.measure(
          () => reader.advance(this.#wasm, readPace.work),
          (done) => !done,
        );
      while (!(await this.#call(ticket, advance)));
      return reader.finish();
    } finally {
      reader.delete();
    }
  }

  async calls(): Promise<readonly number[]> {
    return [...this.#calls];
  }

  async close(): Promise<void> {
    if (this.#prompt.signal.aborted) return;
    this.#abandon(new EngineError('closed', 'This session was closed.'));
    this.#wasm.delete();
    this.#onClose();
  }

  /** Ends all work for the present prompt: what waits for its turn, and what waits for weights. */
  #abandon(reason: EngineError): void {
    this.#prompt.abort(reason);
    this.#shared.loader.dropAborted();
  }

  #ticket(urgency: Ticket['urgency']): Ticket {
    const { signal } = this.#prompt;
    signal.throwIfAborted();
    return { urgency, lane: this.#lane, order: this.#jobs++, signal };
  }

  /** One bounded call for the present prompt, counted. */
  #call<T>(ticket: Ticket, work: () => T): Promise<T> {
    return this.#shared.scheduler.call(ticket, () => {
      this.#calls.push((this.#calls.pop() ?? 0) + 1);
      return work();
    });
  }

  /** The region's shape, if it is part of its node. */
  #check(region: Region): readonly [number, number] {
    this.#wasm.check(toWasm(region, region.rows[0], region.rows[1]));
    return [region.rows[1] - region.rows[0], region.columns[1] - region.columns[0]];
  }

  /** Hands the region out from the top, in bands of rows that fit one call each. */
  async #eachBand(ticket: Ticket, region: Region, use: (band: WasmRegion) => void): Promise<void> {
    const { readPace } = this.#shared;
    const [begin, end] = region.rows;
    for (let first = begin; first < end; ) {
      first = await this.#call(ticket, () => {
        const last = first + this.#wasm.rowsWithin(toWasm(region, first, end), readPace.work);
        readPace.measure(
          () => use(toWasm(region, first, last)),
          () => last < end,
        );
        return last;
      });
    }
  }
}

function toWasm(region: Region, first: number, last: number): WasmRegion {
  const [left, right] = region.columns;
  return { node: region.node, head: region.head, rows: [first, last], columns: [left, right] };
}
