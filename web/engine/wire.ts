// What crosses between page and worker in a form of its own: failures keep their code, tensors are moved, not copied.
import * as Comlink from 'comlink';
import type { LoadProgress, LoadStatus, LogEntry, ModelInfo, ModelSource, Session, Tensor, Token } from './api';
import { asEngineFailure } from './errors';

/** The worker's side. A worker opens one model, and ends with it. */
export interface WorkerHost {
  open(source: ModelSource, onProgress: (progress: LoadProgress) => void): Promise<ModelInfo>;
  tokenize(text: string): Promise<readonly Token[]>;
  metadata(key: string): Promise<string | number | null>;
  mergeRank(merge: string): Promise<number>;
  log(tokens: number, filter?: string): Promise<readonly LogEntry[]>;
  createSession(): Promise<Session & Comlink.ProxyMarked>;
  status(): Promise<LoadStatus>;
  loadEmbeddings(): Promise<void>;
  keepWhole(): Promise<boolean>;
  stopLoading(): Promise<void>;
}

const FAILURE_FIELDS = ['name', 'code', 'message', 'where', 'got', 'expected', 'stack'] as const;

/** Call once on each side. */
export function registerWire(): void {
  const standard = Comlink.transferHandlers.get('throw');
  if (standard === undefined) throw new Error('comlink has no handler for what is thrown');
  Comlink.transferHandlers.set('throw', {
    ...standard,
    serialize: (thrown) => {
      const failure = asEngineFailure((thrown as { value: unknown }).value);
      const value = Object.fromEntries(FAILURE_FIELDS.map((field) => [field, Reflect.get(failure, field)]));
      return [{ isError: true, value }, []];
    },
  });
  Comlink.transferHandlers.set('tensor', {
    canHandle: isTensor,
    serialize: (tensor: Tensor) => [tensor, [tensor.data.buffer]],
    deserialize: (tensor: Tensor) => tensor,
  });
}

function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && 'data' in value && value.data instanceof Float32Array;
}
