// Brings the weights that stages lack, in the order in which a forward pass needs them.
import type { LoadProgress, LoadStatus, Stage } from '../api';
import { asEngineFailure, EngineError, isEngineFailure } from '../errors';
import type { WasmModel, WasmModule } from '../module';
import type { Later } from '../scheduler';
import { coveredSize, type Range } from '../source/range';
import { RangeSet } from '../source/range-set';
import { changed } from '../source/url';
import { stageOrder, stagesUpTo } from '../stages';
import { type OpenedModel, openModel, type Transfer } from './header';
import { checkHeader, Integrity } from './integrity';
import { coalesce, firstBatch, rangesOf } from './requests';
import type { LateManifest, Transport } from './transport';
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
/** Milliseconds between two requests for a manifest that could not be had: growing from the one to the other. */
const SHORTEST_PAUSE = 5000;
const LONGEST_PAUSE = 60_000;

export class Loader {
  readonly model: WasmModel;
  #integrity: Integrity | null;
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
  /** What the engine has been given while no manifest was there, and the file's first bytes: null where none is to come. */
  #uncompared: { readonly supplied: RangeSet; readonly first: Uint8Array } | null = null;
  /** Whether the server sends the whole file whatever is asked for. */
  #wholeOnly = false;
  readonly #nextTurn: () => Promise<void>;
  readonly #fail: (reason: unknown) => void;
  /** Rows are never asked for one by one: whoever sends them would learn a prompt's tokens. */
  #wholeEmbeddings = false;
  /** Bytes that will be present once all demands are met; null after the demands have changed. */
  #total: number | null = null;
  #trouble: string | null = null;

  /**
   * Reads the header. `signal` ends all transfers, and what is waited for then rejects with its reason. `later`: how
   * the thread hears its messages while it hashes. `fail` ends the model: bytes that were computed with are wrong.
   */
  static async open(
    module: WasmModule,
    transport: Transport,
    signal: AbortSignal,
    onProgress: (progress: LoadProgress) => void,
    later: Later,
    fail: (reason: unknown) => void = () => undefined,
  ): Promise<Loader> {
    transport.onTrouble = (trouble) => onProgress({ phase: 'header', loaded: 0, total: 0, trouble });
    const { source } = transport;
    const manifest = await transport.manifest(signal);
    const nextTurn = () => new Promise<void>((resolve) => later(resolve));
    const opened = await (manifest === null
      ? openModel(module, source, signal, onProgress)
      : openVerified(module, source, manifest, signal, onProgress, nextTurn));
    void transport.kept?.accept(opened.model.fileSize()); // Keeping never holds up loading.
    const loader = new Loader(opened, transport, signal, onProgress, nextTurn, fail);
    if (manifest === null && transport.late) loader.#awaitManifest(opened, transport.late);
    return loader;
  }

  private constructor(
    { model, integrity, rest }: OpenedModel,
    transport: Transport,
    signal: AbortSignal,
    onProgress: (progress: LoadProgress) => void,
    nextTurn: () => Promise<void>,
    fail: (reason: unknown) => void,
  ) {
    this.model = model;
    this.#integrity = integrity;
    this.#transfer = rest;
    this.#wholeOnly = rest.whole;
    this.#transport = transport;
    this.#signal = signal;
    this.#onProgress = onProgress;
    this.#nextTurn = nextTurn;
    this.#fail = fail;
    transport.onTrouble = (trouble) => {
      this.#trouble = trouble;
      this.#report();
    };
    signal.addEventListener('abort', () => this.stop(signal.reason), { once: true });
  }

  /** The model was opened from what is kept, without its manifest: all is compared once that comes. */
  #awaitManifest({ first, rest }: OpenedModel, late: LateManifest): void {
    const supplied = new RangeSet();
    supplied.add({ begin: 0, end: rest.offset });
    this.#uncompared = { supplied, first };
    const ask = async (pause: number): Promise<void> => {
      await late.ask(this.#signal).catch(() => null);
      if (this.#compareLate() || this.#signal.aborted) return;
      const timer = setTimeout(() => void ask(Math.min(2 * pause, LONGEST_PAUSE)), pause);
      this.#signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    };
    if (!this.#compareLate()) void ask(SHORTEST_PAUSE);
  }

  /** Compares what the engine has with the manifest, if that has come. False while it hasn't. */
  #compareLate(): boolean {
    const manifest = this.#transport.late?.known() ?? null;
    const uncompared = this.#uncompared;
    if (uncompared === null) return true;
    if (manifest === null) return false;
    this.#uncompared = null;
    if (this.#transport.kept?.confirm(manifest.sha256) === false) {
      this.#transport.onTrouble(changed(this.#transport.source.name).message);
      return true;
    }
    try {
      // Between the directory and the data, a file has zeros.
      const header = new Uint8Array(manifest.header.size);
      header.set(uncompared.first.subarray(0, header.length));
      checkHeader(header, manifest);
      this.#integrity = new Integrity(manifest, header, this.model.tensors(), this.model, this.#nextTurn);
      this.#integrity.takeOver(uncompared.supplied.ranges).then(
        () => this.#report(),
        (error) => this.#refuse(error),
      );
    } catch (error) {
      this.#refuse(error);
    }
    return true;
  }

  /** Numbers were computed with bytes that are wrong: the model ends, and nothing of it is kept. */
  #refuse(error: unknown): void {
    void this.#transport.kept?.reject();
    const failure = asEngineFailure(error);
    this.#transport.onTrouble(failure.message);
    this.#fail(failure);
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

  /** How many bytes are to come before these stages have all that they lack. */
  lackingSize(stages: readonly Stage[], tokens: Int32Array): number {
    const lacking = stages.flatMap((stage) => this.#lacking(stage, tokens));
    if (!this.#wholeOnly) return coveredSize(lacking);
    // The whole file is read, from its beginning or from where its transfer was paused, as far as is needed.
    const last = Math.max(0, ...lacking.map(({ end }) => end));
    const from = this.#transfer?.whole ? this.#transfer.offset : 0;
    return Math.max(0, last - from);
  }

  /** Brings the rest of the file when nothing else is asked for. Resolves to whether all of it is kept. */
  async keepWhole(): Promise<boolean> {
    const { kept } = this.#transport;
    if (kept === undefined) return false;
    await this.#demand(Number.POSITIVE_INFINITY, () => this.#absent(), this.#signal);
    return kept.keepWhole(this.model.fileSize(), this.#signal);
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
        const ended = await this.#takeTransfer(signal);
        const [{ end } = { end: 0 }] = batch;
        if (ended !== null && this.#wholeOnly && ended < end) throw this.#truncated(ended, end);
      }
    } catch (error) {
      if (isEngineFailure(error) && error.code === 'no_ranges') {
        this.#wholeOnly = true;
      }
      if (!signal.aborted) this.stop(asEngineFailure(error));
    } finally {
      this.#working = false;
    }
    if (this.#demands.length > 0) void this.#work(); // Wanted after the transfers were ended.
  }

  /**
   * What comes behind the header: to its end, or of a whole file as much as is asked for. Resolves to the offset where
   * it has ended; null where it is paused.
   */
  async #takeTransfer(signal: AbortSignal): Promise<number | null> {
    const transfer = this.#transfer;
    if (transfer === null) return null;
    this.#transfer = null; // Unless it is paused, it has ended or failed: then ranges are asked for.
    try {
      while (!transfer.whole || this.#demands.length > 0) {
        signal.throwIfAborted();
        const { done, value } = await transfer.pieces.next();
        if (done) return transfer.offset;
        await this.#take(transfer.offset, value);
        transfer.offset += value.length;
      }
    } catch (error) {
      await transfer.pieces.return();
      throw error;
    }
    this.#transfer = transfer;
    return null;
  }

  #nextBatch(): Range[] {
    for (const demand of [...this.#demands]) this.#resolveIfPresent(demand);
    const batch = firstBatch(coalesce(this.#demands.flatMap((demand) => demand.lacking())));
    return this.#wholeOnly ? batch.slice(0, 1) : batch;
  }

  /** Brings a range, or as much of it as comes before something more urgent is asked for. */
  async #request(range: Range, order: number, signal: AbortSignal): Promise<void> {
    const { source } = this.#transport;
    if (this.#wholeOnly) this.#transport.allowWhole?.();
    const { begin, pieces, whole = false } = await source.open(range.begin, range.end, signal);
    if (whole) {
      this.#wholeOnly = true;
      if (this.#transfer === null) this.#transfer = { offset: begin, pieces, whole };
      else await pieces.return();
      return;
    }
    let end = begin;
    for await (const piece of pieces) {
      signal.throwIfAborted();
      await this.#take(end, piece);
      end += piece.length;
      if (this.#firstOrder() < order) return;
    }
    if (end >= range.end) return;
    throw this.#truncated(end, range.end);
  }

  #truncated(end: number, expected: number): EngineError {
    const { name } = this.#transport.source;
    return new EngineError(
      'truncated',
      `${name}: the file ends at byte ${end}, expected at least ${expected}. Is it complete?`,
    );
  }

  async #take(offset: number, piece: Uint8Array): Promise<void> {
    this.#compareLate();
    try {
      if (this.#integrity === null) {
        this.model.supply(offset, piece);
        this.#uncompared?.supplied.add({ begin: offset, end: offset + piece.length });
      } else await this.#integrity.supply(offset, piece);
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

  /** All that the engine does not have yet. */
  #absent(): Range[] {
    const { blockCount } = this.model.describe().config;
    const stages = stagesUpTo({ kind: 'logits', block: 0 }, blockCount);
    const weights = stages.flatMap((stage) => rangesOf(this.model.lacking(stage, new Int32Array())));
    return [...rangesOf(this.model.lackingEmbeddings()), ...weights];
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
