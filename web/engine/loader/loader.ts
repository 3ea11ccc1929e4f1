// Brings the weights that stages lack, in the order in which a forward pass needs them.
import type { LoadProgress, Stage } from '../api';
import { asEngineFailure, EngineError } from '../errors';
import type { WasmModel, WasmModule } from '../module';
import { stageOrder } from '../stages';
import { openModel } from './header';
import { coalesce, coveredSize, firstBatch, type Range, rangesOf } from './requests';
import type { ByteSource, Pieces } from './source';

interface Want {
  readonly stage: Stage;
  readonly tokens: Int32Array;
  readonly signal: AbortSignal;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export class Loader {
  readonly model: WasmModel;
  readonly #source: ByteSource;
  readonly #signal: AbortSignal;
  readonly #onProgress: (progress: LoadProgress) => void;
  /** In the order of stages; within a stage, of arrival. */
  readonly #wants: Want[] = [];
  /** The stream that the header came with, until it ends. */
  #opening: Promise<unknown> = Promise.resolve();
  #working = false;
  /** What will be present once all that is wanted has come; null after the wants have changed. */
  #total: number | null = null;

  /** Reads the header. `signal` ends all transfers, and what is waited for then rejects with its reason. */
  static async open(
    module: WasmModule,
    source: ByteSource,
    signal: AbortSignal,
    onProgress: (progress: LoadProgress) => void,
  ): Promise<Loader> {
    const { model, rest } = await openModel(module, source, signal, onProgress);
    const loader = new Loader(model, source, signal, onProgress);
    loader.#opening = loader.#feed(rest.offset, rest.pieces, () => false);
    loader.#opening.catch(() => undefined); // Whoever wants its bytes asks for them, and is told then.
    return loader;
  }

  private constructor(
    model: WasmModel,
    source: ByteSource,
    signal: AbortSignal,
    onProgress: (progress: LoadProgress) => void,
  ) {
    this.model = model;
    this.#source = source;
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  /**
   * Resolves once the model has all that `stage` needs for these tokens. Who aborts `signal` calls `dropAborted` too:
   * one call then ends all waits, where a listener for each would pile up on a signal that many stages share.
   */
  want(stage: Stage, tokens: Int32Array, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#lacking({ stage, tokens }).length === 0) {
        resolve();
        return;
      }
      const want: Want = { stage, tokens, signal, resolve, reject };
      const later = this.#wants.findIndex((other) => stageOrder(other.stage) > stageOrder(stage));
      this.#wants.splice(later === -1 ? this.#wants.length : later, 0, want);
      this.#total = null;
      if (!this.#working) void this.#work();
    });
  }

  dropAborted(): void {
    for (const want of this.#wants.filter(({ signal }) => signal.aborted)) {
      this.#remove(want);
      want.reject(want.signal.reason);
    }
  }

  async #work(): Promise<void> {
    this.#working = true;
    try {
      const opening = this.#opening;
      this.#opening = Promise.resolve();
      await opening;
      for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
        const order = this.#firstOrder();
        await Promise.all(batch.map((range) => this.#request(range, order)));
      }
    } catch (error) {
      for (const want of this.#wants.splice(0)) want.reject(asEngineFailure(error));
    } finally {
      this.#working = false;
    }
  }

  #nextBatch(): Range[] {
    for (const want of [...this.#wants]) this.#resolveIfPresent(want);
    return firstBatch(coalesce(this.#wants.flatMap((want) => this.#lacking(want))));
  }

  /** Brings a range, or as much of it as comes before something more urgent is wanted. */
  async #request(range: Range, order: number): Promise<void> {
    const { begin, pieces } = await this.#source.open(range.begin, range.end, this.#signal);
    const isPart = begin === range.begin;
    const { end, stopped } = await this.#feed(begin, pieces, () => isPart && this.#firstOrder() < order);
    if (end < range.end && !stopped) {
      const expected = `expected at least ${range.end}. Is it complete?`;
      throw new EngineError('truncated', `${this.#source.name}: the file ends at byte ${end}, ${expected}`);
    }
  }

  /** Supplies pieces as they arrive, until they end or `stop` says so after one; `end` is the file offset then. */
  async #feed(begin: number, pieces: Pieces, stop: () => boolean): Promise<{ end: number; stopped: boolean }> {
    let end = begin;
    for await (const piece of pieces) {
      this.#signal.throwIfAborted();
      this.model.supply(end, piece);
      end += piece.length;
      this.#report();
      for (let first = this.#wants[0]; first && this.#resolveIfPresent(first); first = this.#wants[0]);
      if (stop()) return { end, stopped: true };
    }
    return { end, stopped: false };
  }

  #resolveIfPresent(want: Want): boolean {
    if (this.#lacking(want).length > 0) return false;
    this.#remove(want);
    want.resolve();
    return true;
  }

  #remove(want: Want): void {
    const index = this.#wants.indexOf(want);
    if (index !== -1) this.#wants.splice(index, 1);
  }

  #lacking({ stage, tokens }: Pick<Want, 'stage' | 'tokens'>): Range[] {
    return rangesOf(this.model.lacking(stage, tokens));
  }

  #firstOrder(): number {
    const first = this.#wants[0];
    return first === undefined ? Number.POSITIVE_INFINITY : stageOrder(first.stage);
  }

  #report(): void {
    const loaded = this.model.presentBytes();
    this.#total ??= loaded + coveredSize(this.#wants.flatMap((want) => this.#lacking(want)));
    this.#onProgress({ phase: 'weights', loaded, total: Math.max(loaded, this.#total) });
  }
}
