// The worker's side of the boundary: opens one model in its own thread and hands out sessions.
import * as Comlink from 'comlink';
import type { Engine, Session } from './api';
import { EngineError } from './errors';
import { openInThread } from './instance';
import type { WorkerHost } from './wire';

/** A session for the other side, whose forks are such, too. */
function proxied(session: Session): Session & Comlink.ProxyMarked {
  const fork = session.fork.bind(session);
  return Comlink.proxy(Object.assign(session, { fork: async () => proxied(await fork()) }));
}

export function createHost(open = openInThread): WorkerHost {
  let engine: Engine | null = null;
  const opened = () => {
    if (engine === null) throw new EngineError('bad_argument', 'No model is open yet.');
    return engine;
  };
  return {
    open: async (source, onProgress) => {
      engine = await open(source, onProgress);
      return engine.info;
    },
    tokenize: async (text) => opened().tokenize(text),
    status: async () => opened().status(),
    loadEmbeddings: async () => opened().loadEmbeddings(),
    keepWhole: async () => opened().keepWhole(),
    stopLoading: async () => opened().stopLoading(),
    metadata: async (key) => opened().metadata(key),
    mergeRank: async (merge) => opened().mergeRank(merge),
    log: async (tokens, filter) => opened().log(tokens, filter),
    createSession: async () => proxied(await opened().createSession()),
  };
}
