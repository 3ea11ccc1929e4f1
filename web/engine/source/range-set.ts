// A set of bytes of a file, kept as ranges that never touch, ascending.
import type { Range } from './range';

export class RangeSet {
  #ranges: Range[] = [];

  add({ begin, end }: Range): void {
    if (begin >= end) return;
    const touching = this.#ranges.filter((range) => range.begin <= end && range.end >= begin);
    const joined = {
      begin: Math.min(begin, touching[0]?.begin ?? begin),
      end: Math.max(end, touching.at(-1)?.end ?? end),
    };
    const before = this.#ranges.filter((range) => range.end < begin);
    const behind = this.#ranges.filter((range) => range.begin > end);
    this.#ranges = [...before, joined, ...behind];
  }

  remove({ begin, end }: Range): void {
    this.#ranges = this.#ranges.flatMap((range) =>
      [
        { begin: range.begin, end: Math.min(range.end, begin) },
        { begin: Math.max(range.begin, end), end: range.end },
      ].filter((part) => part.begin < part.end),
    );
  }

  get ranges(): readonly Range[] {
    return this.#ranges;
  }

  /** The parts of a range that are not in the set, ascending. */
  missing({ begin, end }: Range): Range[] {
    const parts: Range[] = [];
    let at = begin;
    for (const range of this.#ranges) {
      if (range.end <= at) continue;
      if (range.begin >= end) break;
      if (range.begin > at) parts.push({ begin: at, end: range.begin });
      at = range.end;
    }
    if (at < end) parts.push({ begin: at, end });
    return parts;
  }

  /** The end of the bytes of the set that begin at `at`; `at` itself where it is not in the set. */
  endFrom(at: number): number {
    return this.#ranges.find(({ begin, end }) => begin <= at && at < end)?.end ?? at;
  }
}
