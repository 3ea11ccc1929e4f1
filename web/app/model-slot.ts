// The model in use. A new one is on trial until its figure has answered once: if it fails before, the one in use before
// it is back.
import type { Engine, LoadProgress, ModelSource, OpenEngine } from '../engine/api';

export interface OpenModel {
  readonly id: string;
  readonly name: string;
  readonly engine: Engine;
}

export class ModelSlot {
  readonly #open: OpenEngine;
  #current: OpenModel | null = null;
  /** What is in use again if the current model fails on trial. */
  #proven: OpenModel | null = null;
  #trial = false;
  #opening: AbortController | null = null;

  constructor(open: OpenEngine) {
    this.#open = open;
  }

  get current(): OpenModel | null {
    return this.#current;
  }

  /** The model that stays if the wanted one fails. */
  get fallback(): OpenModel | null {
    return this.#trial ? this.#proven : this.#current;
  }

  /** Whatever is being opened is not wanted any more. */
  stay(): void {
    this.#opening?.abort();
    this.#opening = null;
  }

  /** `onProgress` is told of the opening, and of all loading while the model is in use. False where another was asked for. */
  async choose(id: string, name: string, source: ModelSource, onProgress: (progress: LoadProgress) => void) {
    this.stay();
    const opening = new AbortController();
    this.#opening = opening;
    const wanted = (): boolean => this.#opening === opening;
    let opened: Engine | null = null;
    const heard = (): boolean => wanted() || (opened !== null && this.#current?.engine === opened);
    const engine = await this.#open(source, (progress) => heard() && onProgress(progress), opening.signal);
    opened = engine;
    if (!wanted()) {
      await engine.close();
      return false;
    }
    this.#opening = null;
    const before = this.#current;
    this.#current = { id, name, engine };
    if (this.#trial) await before?.engine.close();
    else this.#proven = before;
    this.#trial = true;
    return true;
  }

  /** The current model has answered: the one before it is let go. */
  async prove(): Promise<void> {
    if (!this.#trial) return;
    this.#trial = false;
    const before = this.#proven;
    this.#proven = null;
    await before?.engine.close();
  }

  /** Takes a failed model away; false where it was not on trial, or none is there to return to. */
  async retreat(): Promise<boolean> {
    if (!this.#trial || !this.#proven) return false;
    const failed = this.#current;
    this.#current = this.#proven;
    this.#proven = null;
    this.#trial = false;
    await failed?.engine.close();
    return true;
  }
}
