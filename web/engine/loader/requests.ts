// Turns the byte ranges that stages lack into few requests, in the order in which they are wanted.
import { type Range, READ_THROUGH } from '../source/range';

/** A request this long is worth its round trip; it is cut short when something more urgent is wanted. */
export const LONGEST_REQUEST = 16 * 1024 * 1024;
/** Requests shorter than this spend their time on the way, so several go beside each other. */
const SHORT_REQUEST = 64 * 1024;
export const SHORT_AT_ONCE = 12;

/** Pairs as the engine lists them: begin, end, begin, end, ... */
export function rangesOf(bounds: Float64Array): Range[] {
  const ranges: Range[] = [];
  for (let i = 0; i + 1 < bounds.length; i += 2) ranges.push({ begin: bounds[i] ?? 0, end: bounds[i + 1] ?? 0 });
  return ranges;
}

/** Joins ranges that follow each other closely and splits those that are too long; the order stays. Repeats go. */
export function coalesce(ranges: readonly Range[]): Range[] {
  const joined: { begin: number; end: number }[] = [];
  const seen = new Set<number>();
  for (const { begin, end } of ranges) {
    if (seen.has(begin)) continue;
    seen.add(begin);
    const last = joined.at(-1);
    if (last !== undefined && begin >= last.end && begin - last.end <= READ_THROUGH) last.end = end;
    else joined.push({ begin, end });
  }
  return joined.flatMap(split);
}

function split({ begin, end }: Range): Range[] {
  const parts: Range[] = [];
  for (let start = begin; start < end; start += LONGEST_REQUEST) {
    parts.push({ begin: start, end: Math.min(end, start + LONGEST_REQUEST) });
  }
  return parts;
}

/** What to ask for now: the first request, and if it is short, the short ones that follow it. */
export function firstBatch(requests: readonly Range[]): Range[] {
  const isLong = ({ begin, end }: Range) => end - begin > SHORT_REQUEST;
  const long = requests.findIndex(isLong);
  const short = requests.slice(0, long === -1 ? requests.length : long);
  return short.length > 0 ? short.slice(0, SHORT_AT_ONCE) : requests.slice(0, 1);
}
