// What happens between two stages, written in the gap above or between them.
import type { Palette } from '../../ui/colour/palette';
import type { Mark } from '../../ui/marks/marks';
import { type Maths, mi, mn, mo, mtext, root, row, sub } from '../../ui/marks/math';
import type { StageId } from '../../ui/state';
import type { FlowData } from './data';
import { boxOf, type Layout, type StageBox } from './layout';

const weights = (index: string): Maths => row(mo('×'), sub(mi('W'), mi(index)), mo('+'), sub(mi('b'), mi(index)));

interface Place {
  readonly size: number;
  /** Above the tensors, or null for the middle of their height. */
  readonly lift: number | null;
}

/** An operator centred between the middles of two neighbours, or in the gap between them. */
function between(layout: Layout, left: StageId, right: StageId, maths: Maths, at: Place, palette: Palette): Mark[] {
  const [a, b] = [boxOf(layout, left), boxOf(layout, right)];
  if (!a || !b || a.y !== b.y) return [];
  const gap = (a.x + a.width + a.deck + b.x) / 2;
  const middles = (a.x + a.width / 2 + b.x + b.width / 2) / 2;
  const x = at.lift === null || left === 'cat' ? gap : middles;
  const y = at.lift === null ? a.y + a.height / 2 + at.size * 0.33 : a.y - at.lift;
  return [{ kind: 'maths', x, y, maths, size: at.size, colour: palette.inkSoft, anchor: 'middle' }];
}

/** Where the masked scores stand above: "softmax" at the corner of the weights, left of the key labels. */
function softmaxFromAbove(p: StageBox, layout: Layout, palette: Palette): Mark[] {
  const [x, y] = [layout.labelRight, p.y - 12];
  const stroke = palette.mark.probability;
  return [
    { kind: 'maths', x: x - 4, y, maths: mtext('softmax'), size: 14, colour: palette.inkSoft, anchor: 'end' },
    { kind: 'path', path: `M${x} ${y - 4}h4Q${p.x + 1} ${y - 4} ${p.x + 1} ${p.y - 4}`, stroke, width: 1.25 },
  ];
}

/** "softmax" and an arrow, from the masked scores to the weights. */
function softmax(layout: Layout, palette: Palette): Mark[] {
  const [masked, p] = [boxOf(layout, 'masked'), boxOf(layout, 'p')];
  if (!masked || !p) return [];
  if (masked.y !== p.y) return softmaxFromAbove(p, layout, palette);
  const x = masked.x + masked.width / 2 + 6;
  const y = p.y - 14;
  const stroke = palette.mark.probability;
  const end = p.x - 6;
  return [
    { kind: 'path', path: `M${x} ${p.y - 5}V${y + 7}Q${x} ${y} ${x + 7} ${y}H${end}`, stroke, width: 1.25 },
    { kind: 'path', path: `M${end - 4} ${y - 4}l5 4l-5 4`, stroke, width: 1.25 },
    {
      kind: 'maths',
      x: (x + end) / 2,
      y: y - 8,
      maths: mtext('softmax'),
      size: 14,
      colour: palette.inkSoft,
      anchor: 'middle',
    },
  ];
}

export function operatorMarks(layout: Layout, data: FlowData, palette: Palette): Mark[] {
  const gap = (left: StageId, right: StageId, maths: Maths, at: Place): Mark[] =>
    between(layout, left, right, maths, at, palette);
  const above = { size: 14.5, lift: 22 };
  const within = { size: 28, lift: null };
  return [
    ...gap('raw', 'scaled', row(mo('÷'), root(mn(data.shape.headDim))), above),
    ...gap('scaled', 'masked', row(mo('+'), mi('M')), above),
    ...softmax(layout, palette),
    ...gap('cat', 'a', weights('O'), { size: 14.5, lift: 52 }),
    ...gap('a', 'x', mo('+'), within),
    ...gap('x', 'r', mo('='), within),
  ];
}
