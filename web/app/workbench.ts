// The model in use and its figure's session. A new model is on trial until it has answered once: if it fails before,
// the one in use before it is back.
import type { Engine, LoadProgress, ModelSource, OpenEngine } from '../engine/api';
import { FlowController, type FlowEvents } from '../views/flow/controller';

export interface Bench {
  readonly id: string;
  readonly name: string;
  readonly engine: Engine;
  readonly controller: FlowController;
}

async function clear(bench: Bench | null): Promise<void> {
  await bench?.controller.close();
  await bench?.engine.close();
}

export class Workbench {
  readonly #open: OpenEngine;
  readonly #events: FlowEvents;
  #current: Bench | null = null;
  /** What is in use again if the current model fails on trial. */
  #proven: Bench | null = null;
  #trial = false;
  #opening: AbortController | null = null;

  constructor(open: OpenEngine, events: FlowEvents) {
    this.#open = open;
    this.#events = events;
  }

  get current(): Bench | null {
    return this.#current;
  }

  /** The model that stays if the wanted one fails. */
  get fallback(): Bench | null {
    return this.#trial ? this.#proven : this.#current;
  }

  /** Whatever is being opened is not wanted any more. */
  stay(): void {
    this.#opening?.abort();
    this.#opening = null;
  }

  /** False where another model was asked for meanwhile. */
  async choose(id: string, name: string, source: ModelSource, onProgress: (progress: LoadProgress) => void) {
    this.stay();
    const opening = new AbortController();
    this.#opening = opening;
    const wanted = (): boolean => this.#opening === opening;
    let opened: Engine | null = null;
    const heard = (): boolean => wanted() || (opened !== null && this.#current?.engine === opened);
    const engine = await this.#open(source, (progress) => heard() && onProgress(progress), opening.signal);
    opened = engine;
    const controller = await FlowController.open(engine, this.#events);
    if (!wanted()) {
      await engine.close();
      return false;
    }
    this.#opening = null;
    const before = this.#current;
    before?.controller.pause();
    this.#current = { id, name, engine, controller };
    if (this.#trial) await clear(before);
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
    await clear(before);
  }

  /** Takes a failed model away; false where it was not on trial, or none is there to return to. */
  async retreat(): Promise<boolean> {
    if (!this.#trial || !this.#proven) return false;
    const failed = this.#current;
    this.#current = this.#proven;
    this.#proven = null;
    this.#trial = false;
    await clear(failed);
    return true;
  }
}
