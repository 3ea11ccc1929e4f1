// What came over the network: counted, with the present speed.

/** The speed is that of the last so many milliseconds. */
const WINDOW = 3000;

export class Traffic {
  requests = 0;
  received = 0;
  #recent: { readonly at: number; readonly bytes: number }[] = [];

  request(): void {
    ++this.requests;
  }

  receive(bytes: number, now = performance.now()): void {
    this.received += bytes;
    this.#recent.push({ at: now, bytes });
    this.#forget(now);
  }

  /** Bytes per second; null while nothing comes. */
  speed(now = performance.now()): number | null {
    this.#forget(now);
    const first = this.#recent[0];
    if (first === undefined || now - first.at < WINDOW / 10) return null;
    const bytes = this.#recent.reduce((sum, one) => sum + one.bytes, 0);
    return (bytes * 1000) / (now - first.at);
  }

  #forget(now: number): void {
    while (this.#recent[0] !== undefined && now - this.#recent[0].at > WINDOW) this.#recent.shift();
  }
}
