// How much work fits one bounded call on this machine.

/** What a call should take: short enough that typing and scrolling do not notice. */
export const CALL_MILLISECONDS = 25;

const LEAST_WORK = 1e5;
const MOST_WORK = 1e9;

export class Pace {
  /** Multiply-accumulates for the next call. */
  work = 4e6;

  /** Runs a call and learns from its time. `whole` says whether it used its work up. */
  measure<T>(call: () => T, whole: (result: T) => boolean): T {
    const start = performance.now();
    const result = call();
    const ratio = CALL_MILLISECONDS / Math.max(performance.now() - start, 0.1);
    // One call may have been interrupted: no single measure changes much.
    if (ratio < 1) this.work = Math.max(LEAST_WORK, this.work * Math.max(0.5, ratio));
    else if (whole(result)) this.work = Math.min(MOST_WORK, this.work * Math.min(2, ratio));
    return result;
  }
}
