// Half-open ranges of a file's bytes.

/** [begin, end) of file offsets. */
export interface Range {
  readonly begin: number;
  readonly end: number;
}

/** Reading through a gap this long costs less than another request. */
export const READ_THROUGH = 32 * 1024;

/** How many bytes the ranges cover; bytes that several of them want count once. */
export function coveredSize(ranges: readonly Range[]): number {
  let size = 0;
  let covered = 0;
  for (const { begin, end } of [...ranges].sort((a, b) => a.begin - b.begin)) {
    size += Math.max(0, end - Math.max(begin, covered));
    covered = Math.max(covered, end);
  }
  return size;
}
