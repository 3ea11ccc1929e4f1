// Limits of speed, and waits that can be ended.
import { setTimeout as sleep } from 'node:timers/promises';

/** Lets bytes pass at a rate, whoever asks; null lets all pass. */
export class Pace {
  #rate;
  #free = 0;

  constructor(bytesPerSecond) {
    this.#rate = bytesPerSecond ?? null;
  }

  /** Pieces of this many bytes make the flow even: about twenty a second. */
  get piece() {
    return this.#rate === null ? Number.POSITIVE_INFINITY : Math.max(1, this.#rate / 20);
  }

  /** Resolves when so many bytes may be sent. */
  async pass(bytes) {
    if (this.#rate === null) return;
    const now = performance.now();
    this.#free = Math.max(this.#free, now) + (bytes / this.#rate) * 1000;
    if (this.#free > now) await sleep(this.#free - now);
  }
}

/** Something that others wait for; `open` lets all go who wait now. */
export class Gate {
  #waiting = new Set();

  wait() {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  open() {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
