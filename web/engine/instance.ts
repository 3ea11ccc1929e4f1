// One model in one wasm instance, in this thread.
import type { Engine, LoadProgress, LoadStatus, LogEntry, ModelInfo, OpenEngine, Token } from './api';
import { asEngineFailure, EngineError } from './errors';
import { Loader } from './loader/loader';
import { type Transport, transportOf } from './loader/transport';
import { loadModule } from './module';
import { Pace } from './pace';
import { type Later, laterByMessage, Scheduler } from './scheduler';
import { type Shared, ThreadSession } from './session';

/** How an engine lets its thread do other things between two calls. */
export interface Yielding {
  readonly later: Later;
  readonly close: () => void;
}

export class ThreadEngine implements Engine {
  readonly info: ModelInfo;
  readonly #shared: Shared;
  readonly #closing: AbortController;
  readonly #yielding: Yielding;
  readonly #sessions = new Set<ThreadSession>();
  #closed = false;

  /** Opens the model that `transport` brings in a new instance. Rejects with an EngineFailure. */
  static async open(
    transport: Transport,
    onProgress: (progress: LoadProgress) => void = () => undefined,
    yielding: Yielding = laterByMessage(),
  ): Promise<ThreadEngine> {
    const closing = new AbortController();
    try {
      const module = await loadModule();
      const fail = (reason: unknown) => closing.abort(reason);
      const loader = await Loader.open(module, transport, closing.signal, onProgress, yielding.later, fail);
      const { blockCount, headCount, vocabularySize } = loader.model.describe().config;
      const scheduler = new Scheduler(yielding.later);
      const paces = { computePace: new Pace(), readPace: new Pace() };
      const shared = { module, loader, scheduler, ...paces, blockCount, headCount, vocabularySize };
      return new ThreadEngine(shared, closing, yielding);
    } catch (error) {
      closing.abort(error);
      yielding.close();
      throw asEngineFailure(error);
    }
  }

  private constructor(shared: Shared, closing: AbortController, yielding: Yielding) {
    const { model } = shared.loader;
    this.info = { ...model.describe(), fileSize: model.fileSize() };
    this.#shared = shared;
    this.#closing = closing;
    // A model that turns out to be damaged answers nothing more.
    closing.signal.addEventListener('abort', () => {
      for (const session of this.#sessions) void session.close();
    });
    this.#yielding = yielding;
  }

  async tokenize(text: string): Promise<readonly Token[]> {
    this.#closing.signal.throwIfAborted();
    const { model } = this.#shared.loader;
    // The encoder is what turns lone surrogates into U+FFFD.
    const ids = model.encode(new TextEncoder().encode(text));
    return Array.from(ids, (id) => ({ id, bytes: model.tokenBytes(id) }));
  }

  async createSession(): Promise<ThreadSession> {
    this.#closing.signal.throwIfAborted();
    return this.#session(null);
  }

  #session(from: ConstructorParameters<typeof ThreadSession>[3]): ThreadSession {
    const session: ThreadSession = new ThreadSession(
      this.#shared,
      () => this.#sessions.delete(session),
      (wasm, ids) => this.#session({ wasm, ids }),
      from,
    );
    this.#sessions.add(session);
    return session;
  }

  async status(): Promise<LoadStatus> {
    this.#closing.signal.throwIfAborted();
    return this.#shared.loader.status();
  }

  loadEmbeddings(): Promise<void> {
    return this.#shared.loader.loadEmbeddings();
  }

  keepWhole(): Promise<boolean> {
    return this.#shared.loader.keepWhole();
  }

  async stopLoading(): Promise<void> {
    this.#shared.loader.stop(new EngineError('stopped', 'Loading was stopped. What has been loaded stays.'));
  }

  async metadata(key: string): Promise<string | number | null> {
    this.#closing.signal.throwIfAborted();
    return this.#shared.loader.model.metadata(key);
  }

  async mergeRank(merge: string): Promise<number> {
    this.#closing.signal.throwIfAborted();
    return this.#shared.loader.model.mergeRank(merge);
  }

  async log(tokens: number, filter = ''): Promise<readonly LogEntry[]> {
    this.#closing.signal.throwIfAborted();
    return this.#shared.loader.model.log(tokens, filter);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const session of this.#sessions) await session.close();
    this.#closing.abort(new EngineError('closed', 'This model was closed.'));
    this.#shared.loader.model.delete();
    this.#yielding.close();
  }
}

/** The engine in this thread. */
export const openInThread: OpenEngine = async (source, onProgress) => {
  const engine = await ThreadEngine.open(transportOf(source), onProgress);
  // Asked for first, so that all else that is wanted waits for them.
  if (source.kind === 'url' && source.wholeEmbeddings) engine.loadEmbeddings().catch(() => undefined);
  return engine;
};
