// The engine in a worker, with the interface that it has in this thread.
import * as Comlink from 'comlink';
import type {
  ComputeProgress,
  Edit,
  Engine,
  LoadProgress,
  ModelInfo,
  ModelSource,
  OpenEngine,
  Region,
  Session,
  Stage,
} from './api';
import { asEngineFailure, EngineError } from './errors';
import type { QueryAnswer, QueryName, QueryRequest } from './head-queries';
import { forbidden } from './policy';
import { registerWire, type WorkerHost } from './wire';

registerWire();

/** What ends the worker, and tells everyone who still waits for it: a worker that has ended answers nothing. */
export class Connection {
  readonly #end: () => void;
  #ended: Error | null = null;
  readonly #waiting = new Set<(reason: Error) => void>();

  constructor(end: () => void) {
    this.#end = end;
  }

  /** What the worker answers, or the failure that ended it. */
  answer<T>(ask: () => PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#ended !== null) throw this.#ended;
      this.#waiting.add(reject);
      Promise.resolve(ask())
        .then(resolve, (error) => reject(asEngineFailure(error)))
        .finally(() => this.#waiting.delete(reject));
    });
  }

  end(reason: Error): void {
    if (this.#ended !== null) return;
    this.#ended = reason;
    this.#end();
    for (const reject of this.#waiting) reject(reason);
    this.#waiting.clear();
  }
}

class WorkerSession implements Session {
  readonly #connection: Connection;
  readonly #remote: Comlink.Remote<Session>;

  constructor(connection: Connection, remote: Comlink.Remote<Session>) {
    this.#connection = connection;
    this.#remote = remote;
  }

  setTokens(ids: readonly number[]) {
    return this.#connection.answer(() => this.#remote.setTokens(ids));
  }

  setEdits(edits: readonly Edit[]) {
    return this.#connection.answer(() => this.#remote.setEdits(edits));
  }

  async fork(): Promise<Session> {
    const remote = await this.#connection.answer(() => this.#remote.fork());
    return new WorkerSession(this.#connection, remote as unknown as Comlink.Remote<Session>);
  }

  ask<Name extends QueryName>(name: Name, request: QueryRequest<Name>, onProgress?: (done: number) => void) {
    const proxy = onProgress && Comlink.proxy(onProgress);
    return this.#connection.answer<QueryAnswer<Name>>(
      () => this.#remote.ask(name, request, proxy) as unknown as PromiseLike<QueryAnswer<Name>>,
    );
  }

  run(goal: Stage, traced: boolean, onProgress?: (progress: ComputeProgress) => void) {
    const proxy = onProgress && Comlink.proxy(onProgress);
    return this.#connection.answer(() => this.#remote.run(goal, traced, proxy));
  }

  region(region: Region) {
    return this.#connection.answer(() => this.#remote.region(region));
  }

  picture(region: Region, height: number, width: number) {
    return this.#connection.answer(() => this.#remote.picture(region, height, width));
  }

  heads(block: number) {
    return this.#connection.answer(() => this.#remote.heads(block));
  }

  checks(block: number) {
    return this.#connection.answer(() => this.#remote.checks(block));
  }

  next(count: number, row?: number) {
    return this.#connection.answer(() => this.#remote.next(count, row));
  }

  explain(cell: string) {
    return this.#connection.answer(() => this.#remote.explain(cell));
  }

  lacking(goal: Stage) {
    return this.#connection.answer(() => this.#remote.lacking(goal));
  }

  logValues(node: string) {
    return this.#connection.answer(() => this.#remote.logValues(node));
  }

  calls() {
    return this.#connection.answer(() => this.#remote.calls());
  }

  async close(): Promise<void> {
    await this.#connection.answer(() => this.#remote.close());
    this.#remote[Comlink.releaseProxy]();
  }
}

class WorkerEngine implements Engine {
  readonly info: ModelInfo;
  readonly #connection: Connection;
  readonly #remote: Comlink.Remote<WorkerHost>;

  constructor(info: ModelInfo, connection: Connection, remote: Comlink.Remote<WorkerHost>) {
    this.info = info;
    this.#connection = connection;
    this.#remote = remote;
  }

  tokenize(text: string) {
    return this.#connection.answer(() => this.#remote.tokenize(text));
  }

  async createSession(): Promise<Session> {
    const remote = await this.#connection.answer(() => this.#remote.createSession());
    return new WorkerSession(this.#connection, remote);
  }

  status() {
    return this.#connection.answer(() => this.#remote.status());
  }

  loadEmbeddings() {
    return this.#connection.answer(() => this.#remote.loadEmbeddings());
  }

  keepWhole() {
    return this.#connection.answer(() => this.#remote.keepWhole());
  }

  stopLoading() {
    return this.#connection.answer(() => this.#remote.stopLoading());
  }

  metadata(key: string) {
    return this.#connection.answer(async () => this.#remote.metadata(key));
  }

  mergeRank(merge: string) {
    return this.#connection.answer(() => this.#remote.mergeRank(merge));
  }

  log(tokens: number, filter?: string) {
    return this.#connection.answer(() => this.#remote.log(tokens, filter));
  }

  async close(): Promise<void> {
    this.#connection.end(new EngineError('closed', 'This model was closed.'));
  }
}

/** Opens a model in the worker behind `endpoint`. The worker ends when the engine is closed, or can't be opened. */
export async function openAt(
  endpoint: Comlink.Endpoint,
  connection: Connection,
  source: ModelSource,
  onProgress: (progress: LoadProgress) => void = () => undefined,
): Promise<Engine> {
  const remote = Comlink.wrap<WorkerHost>(endpoint);
  try {
    const info = await connection.answer(() => remote.open(source, Comlink.proxy(onProgress)));
    return new WorkerEngine(info, connection, remote);
  } catch (error) {
    const failure = asEngineFailure(error);
    connection.end(failure);
    throw failure;
  }
}

/** The engine in a worker of its own, one for each model: `spawn` starts it. */
export function openWith(spawn: () => Worker): OpenEngine {
  return async (source, onProgress, signal) => {
    const worker = spawn();
    const connection = new Connection(() => worker.terminate());
    worker.onerror = ({ message }) => void explained(message).then((failure) => connection.end(failure));
    const giveUp = (): void => connection.end(new EngineError('stopped', 'Opening was stopped.'));
    signal?.addEventListener('abort', giveUp, { once: true });
    const opening = openAt(worker, connection, absolute(source), onProgress);
    return opening.finally(() => signal?.removeEventListener('abort', giveUp));
  };
}

async function explained(message: string | undefined): Promise<EngineError> {
  const obstacle = message ? null : await forbidden('worker-src');
  const reason = obstacle ?? (message || 'its script could not be loaded');
  const advice = obstacle ? "Whoever runs the host can allow it with worker-src 'self'." : 'Reload the page.';
  return new EngineError('worker', `The engine's worker failed: ${reason}. ${advice}`);
}

/** The worker would take a relative address as relative to its own script. */
function absolute(source: ModelSource): ModelSource {
  return source.kind === 'url' ? { ...source, url: new URL(source.url, location.href).href } : source;
}
