// For tests: which labels of a drawing overlap, and which reach beyond its edge; from the marks alone.
import type { Drawing, Mark, MathsMark, TextMark } from '../marks';
import { plain } from '../math';
import { mathsWidth, textCorners } from '../measure';

type Corners = readonly (readonly [x: number, y: number])[];

interface Label {
  readonly text: string;
  readonly corners: Corners;
}

function mathsCorners({ x, y, maths, size, anchor }: MathsMark): Corners {
  const width = mathsWidth(maths, size);
  const left = anchor === 'end' ? x - width : anchor === 'middle' ? x - width / 2 : x;
  const [top, bottom] = [y - 0.7 * size, y + 0.3 * size];
  return [
    [left, top],
    [left + width, top],
    [left + width, bottom],
    [left, bottom],
  ];
}

const textOf = (mark: TextMark): string => mark.runs.map(({ text }) => text).join('');

export function labels({ marks }: Pick<Drawing, 'marks'>): Label[] {
  return marks.flatMap((mark: Mark): Label[] => {
    if (mark.kind === 'text') return textOf(mark) ? [{ text: textOf(mark), corners: textCorners(mark) }] : [];
    return mark.kind === 'maths' ? [{ text: plain(mark.maths), corners: mathsCorners(mark) }] : [];
  });
}

/** How far two spans of numbers overlap. */
function shared(a: readonly number[], b: readonly number[]): number {
  return Math.min(Math.max(...a), Math.max(...b)) - Math.max(Math.min(...a), Math.min(...b));
}

/** Convex shapes are apart where the normal of one of their edges separates them. */
function overlap(a: Corners, b: Corners): boolean {
  const TOUCH = 0.5;
  return [a, b].every((shape) =>
    shape.every(([x0, y0], index) => {
      const [x1, y1] = shape[(index + 1) % shape.length] ?? [x0, y0];
      const length = Math.hypot(x1 - x0, y1 - y0) || 1;
      const [nx, ny] = [(y1 - y0) / length, (x0 - x1) / length];
      const along = (corners: Corners): number[] => corners.map(([x, y]) => x * nx + y * ny);
      return shared(along(a), along(b)) > TOUCH;
    }),
  );
}

/** Pairs of labels that overprint each other. */
export function overprints(drawing: Pick<Drawing, 'marks'>): string[] {
  const all = labels(drawing);
  return all.flatMap((a, index) =>
    all.slice(index + 1).flatMap((b) => (overlap(a.corners, b.corners) ? [`"${a.text}" on "${b.text}"`] : [])),
  );
}

/** Labels that the figure's edge cuts. */
export function cutLabels(drawing: Drawing): string[] {
  const outside = ([x, y]: readonly [number, number]): boolean =>
    x < -0.5 || y < -0.5 || x > drawing.width + 0.5 || y > drawing.height + 0.5;
  return labels(drawing).flatMap(({ text, corners }) => (corners.some(outside) ? [text] : []));
}
