// Brings the weights that stages lack, in the order in which a forward pass needs them.
import type { LoadProgress, LoadStatus, Stage } from '../api';
import { asEngineFailure, EngineError, isEngineFailure } from '../errors';
import type { WasmModel, WasmModule } from '../module';
import type { Later } from '../scheduler';
import { coveredSize, type Range } from '../source/range';
import { stageOrder } from '../stages';
import { type OpenedModel, openModel, type Transfer } from './header';
import type { Integrity } from './integrity';
import { coalesce, firstBatch, rangesOf } from './requests';
import type { Transport } from './transport';
import { openVerified } from './verified-header';

interface Demand {
  readonly order: number;
  readonly lacking: () => Range[];
  readonly signal: AbortSignal;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Codes of what is wrong with bytes themselves: they are not kept. */
const REFUSED = new Set(['bad_weights', 'corrupt']);

export class Loader {
  readonly model: WasmModel;
  readonly #integrity: Integrity | null;
  readonly #transport: Transport;
  readonly #signal: AbortSignal;
  readonly #onProgress: (progress: LoadProgress) => void;
  /** In the order of stages; within a stage, of arrival. */
  readonly #demands: Demand[] = [];
  /** The transfer that brought the header, while it goes on; that of a whole file is paused until more of it is asked for. */
  #transfer: Transfer | null;
  #working = false;
  /** Ends the transfers of the present work. */
  #ending = new AbortController();
  /** Rows are never asked for one by one: whoever sends them would learn a prompt's tokens. */
  #wholeEmbeddings = false;
  /** Bytes that will be present once all demands are met; null after the demands have changed. */
  #total: number | null = null;
  #trouble: string | null = null;

  /**
   * Reads the header. `signal` ends all transfers, and what is waited for then rejects with its reason. `later`: how
   * the thread hears its messages while it hashes.
   */
  static async open(
    module: WasmModule,
    transport: Transport,
    signal: AbortSignal,
    onProgress: (progress: LoadProgress) => void,
    later: Later,
  ): Promise<Loader> {
    transport.onTrouble = (trouble) => onProgress({ phase: 'header', loaded: 0, total: 0, trouble });
    const { source } = transport;
    const manifest = await transport.manifest(signal);
    const nextTurn = () => new Promise<void>((resolve) => later(resolve));
    const opened = await (manifest === null
      ? openModel(module, source, signal, onProgress)
      : openVerified(module, source, manifest, signal, onProgress, nextTurn));
    void transport.kept?.accept(opened.model.fileSize()); // Keeping never holds up loading.
    return new Loader(opened, transport, signal, onProgress);
  }

  private constructor(
    { model, integrity, rest }: OpenedModel,
    transport: Transport,
    signal: AbortSignal,
    onProgress: (progress: LoadProgress) => void,
  ) {
    this.model = model;
    this.#integrity = integrity;
    this.#transfer = rest;
    this.#transport = transport;
    this.#signal = signal;
    this.#onProgress = onProgress;
    transport.onTrouble = (trouble) => {
      this.#trouble = trouble;
      this.#report();
    };
    signal.addEventListener('abort', () => this.stop(signal.reason), { once: true });
  }

  /**
   * Resolves once the model has all that `stage` needs for these tokens. Who aborts `signal` calls `dropAborted` too:
   * one call then ends all waits, where a listener for each would pile up on a signal that many stages share.
   */
  load(stage: Stage, tokens: Int32Array, signal: AbortSignal): Promise<void> {
    return this.#demand(stageOrder(stage), () => this.#lacking(stage, tokens), signal);
  }

  /** Resolves once the embeddings of all tokens and positions are there; from now on none is asked for by itself. */
  loadEmbeddings(): Promise<void> {
    this.#wholeEmbeddings = true;
    return this.#demand(0, () => rangesOf(this.model.lackingEmbeddings()), this.#signal);
  }

  /** How many bytes these stages lack together. */
  lackingSize(stages: readonly Stage[], tokens: Int32Array): number {
    return coveredSize(stages.flatMap((stage) => this.#lacking(stage, tokens)));
  }

  status(): LoadStatus {
    const { traffic, keeping } = this.#transport;
    const verified = (name: string) => this.#integrity?.verified(name) ?? null;
    const tensors = this.model.tensors().map((tensor) => ({ ...tensor, verified: verified(tensor.name) }));
    const { requests, received } = traffic;
    return { tensors, requests, received, speed: traffic.speed(), keeping: keeping() };
  }

  dropAborted(): void {
    for (const demand of this.#demands.filter(({ signal }) => signal.aborted)) {
      this.#remove(demand);
      demand.reject(demand.signal.reason);
    }
  }

  /** Ends all transfers and waits. */
  stop(reason: unknown): void {
    for (const demand of this.#demands.splice(0)) demand.reject(reason);
    this.#ending.abort(reason);
    this.#ending = new AbortController();
  }

  #demand(order: number, lacking: () => Range[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (lacking().length === 0) {
        resolve();
        return;
      }
      const demand: Demand = { order, lacking, signal, resolve, reject };
      const later = this.#demands.findIndex((other) => other.order > order);
      this.#demands.splice(later === -1 ? this.#demands.length : later, 0, demand);
      this.#total = null;
      if (!this.#working) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#working = true;
    this.#trouble = null;
    const { signal } = this.#ending;
    try {
      await this.#takeTransfer(signal);
      for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
        const order = this.#firstOrder();
        await Promise.all(batch.map((range) => this.#request(range, order, signal)));
      }
    } catch (error) {
      if (!signal.aborted) for (const demand of this.#demands.splice(0)) demand.reject(asEngineFailure(error));
    } finally {
      this.#working = false;
    }
    if (this.#demands.length > 0) void this.#work(); // Wanted after the transfers were ended.
  }

  /** What came behind the header: to its end, or of a whole file as much as is wanted. */
  async #takeTransfer(signal: AbortSignal): Promise<void> {
    const transfer = this.#transfer;
    if (transfer === null) return;
    this.#transfer = null; // Unless it comes to a rest, it has ended or failed: then ranges are asked for.
    while (!transfer.whole || this.#demands.length > 0) {
      signal.throwIfAborted();
      const { done, value } = await transfer.pieces.next();
      if (done) return;
      await this.#take(transfer.offset, value);
      transfer.offset += value.length;
    }
    this.#transfer = transfer;
  }

  #nextBatch(): Range[] {
    for (const demand of [...this.#demands]) this.#resolveIfPresent(demand);
    return firstBatch(coalesce(this.#demands.flatMap((demand) => demand.lacking())));
  }

  /** Brings a range, or as much of it as comes before something more urgent is wanted. */
  async #request(range: Range, order: number, signal: AbortSignal): Promise<void> {
    const { begin, pieces, whole = false } = await this.#transport.source.open(range.begin, range.end, signal);
    let end = begin;
    for await (const piece of pieces) {
      signal.throwIfAborted();
      await this.#take(end, piece);
      end += piece.length;
      if (!whole && this.#firstOrder() < order) return;
    }
    if (end >= range.end) return;
    const expected = `expected at least ${range.end}. Is it complete?`;
    throw new EngineError('truncated', `${this.#transport.source.name}: the file ends at byte ${end}, ${expected}`);
  }

  async #take(offset: number, piece: Uint8Array): Promise<void> {
    try {
      if (this.#integrity === null) this.model.supply(offset, piece);
      else await this.#integrity.supply(offset, piece);
    } catch (error) {
      // What is wrong may have come with other bytes before these.
      if (isEngineFailure(error) && REFUSED.has(error.code)) void this.#transport.kept?.reject();
      throw error;
    }
    this.#report();
    for (let first = this.#demands[0]; first && this.#resolveIfPresent(first); first = this.#demands[0]);
  }

  #resolveIfPresent(demand: Demand): boolean {
    if (demand.lacking().length > 0) return false;
    this.#remove(demand);
    demand.resolve();
    return true;
  }

  #remove(demand: Demand): void {
    const index = this.#demands.indexOf(demand);
    if (index !== -1) this.#demands.splice(index, 1);
  }

  #lacking(stage: Stage, tokens: Int32Array): Range[] {
    const all = stage.kind === 'embed' && this.#wholeEmbeddings;
    return rangesOf(all ? this.model.lackingEmbeddings() : this.model.lacking(stage, tokens));
  }

  #firstOrder(): number {
    return this.#demands[0]?.order ?? Number.POSITIVE_INFINITY;
  }

  #report(): void {
    const loaded = this.model.presentBytes();
    this.#total ??= loaded + coveredSize(this.#demands.flatMap((demand) => demand.lacking()));
    this.#onProgress({ phase: 'weights', loaded, total: Math.max(loaded, this.#total), trouble: this.#trouble });
  }
}
