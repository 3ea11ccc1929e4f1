// The bands between stages. Their thickness is a width in features, on one scale for the whole figure; their colour says
// query, key or value. They run above (and for the values below) the tensors, never across a token's row.
import type { Palette } from '../../ui/colour/palette';
import type { Mark } from '../../ui/marks/marks';
import type { HeadPlace } from '../../ui/state';
import { boxOf, type Layout, type Line, type StageBox } from './layout';
import { type FlowShape, stageSymbol } from './stages';

/** Thickness of a band that carries all D features. */
const FULL = 10;

const centre = (box: StageBox): number => box.x + box.width / 2;

/** Up (or down) from one place, over, and back to another, with round corners. */
function arch(x0: number, x1: number, edge: number, level: number, most = 14): string {
  const down = level > edge ? 1 : -1;
  const way = x1 > x0 ? 1 : -1;
  const r = Math.min(most, Math.abs(level - edge), Math.abs(x1 - x0) / 2);
  return (
    `M${x0} ${edge}V${level - down * r}Q${x0} ${level} ${x0 + way * r} ${level}` +
    `H${x1 - way * r}Q${x1} ${level} ${x1} ${level - down * r}V${edge}`
  );
}

const band = (path: string, stroke: string, width: number, opacity = 1): Mark => ({
  kind: 'path',
  path,
  stroke,
  width,
  opacity,
});

/** The middle of the focused head's columns in a tensor that holds all heads. */
const headCentre = (box: StageBox, head: number, shape: FlowShape): number =>
  box.x + ((head + 0.5) * box.width) / shape.heads;

/** A short bar along the focused head's columns, above or below the tensor. */
function bracket(box: StageBox, head: number, shape: FlowShape, colour: string, below = false): Mark {
  const width = box.width / shape.heads;
  const y = below ? box.y + box.height + 4 : box.y - 4;
  return { kind: 'path', path: `M${box.x + head * width} ${y}h${width}`, stroke: colour, width: 3 };
}

/** A bar along the whole tensor. */
function over(box: StageBox, colour: string, below = false): Mark {
  const y = below ? box.y + box.height + 4 : box.y - 4;
  return { kind: 'path', path: `M${box.x} ${y}h${box.width}`, stroke: colour, width: 3 };
}

const roles = { q: 'query', k: 'key', v: 'value' } as const;

/** Z is read whole, three times: once for each third of the fused product. */
function fused(line: Line, layout: Layout, palette: Palette): Mark[] {
  const z = boxOf(layout, 'z');
  if (!z || !line.boxes.includes(z)) return [];
  return (['q', 'k', 'v'] as const).flatMap((id, index) => {
    const third = boxOf(layout, id);
    if (!third) return [];
    const offset = (1 - index) * (FULL + 2);
    const level = z.y - 18 - index * (FULL + 2);
    const end = third.x + third.width / 2;
    return [band(arch(centre(z) + offset, end, z.y - 6, level), palette.mark[roles[id]], FULL, 0.28)];
  });
}

const splits = [
  ['q', 'qh', 50],
  ['k', 'kh', 42],
  ['v', 'vh', -13],
] as const;

/** One head's columns of each third become that head's strips: queries and keys above the tensors, values below. */
function split(layout: Layout, head: number, shape: FlowShape, palette: Palette): Mark[] {
  const thickness = Math.max(1.25, FULL / shape.heads);
  return splits.flatMap(([from, to, lift]): Mark[] => {
    const third = boxOf(layout, from);
    const strip = boxOf(layout, to);
    if (!third || !strip) return [];
    const colour = palette.mark[roles[from]];
    const below = lift < 0 && third.y === strip.y;
    const brackets = [bracket(third, head, shape, colour, below), over(strip, colour, below)];
    if (third.y !== strip.y) return [...brackets, stub(strip, colour, thickness)];
    const edge = below ? third.y + third.height + 5 : third.y - 5;
    const level = below ? third.y + third.height - lift : third.y - lift;
    return [...brackets, band(arch(headCentre(third, head, shape), centre(strip), edge, level), colour, thickness)];
  });
}

/** A band that arrives from the line above. */
function stub(box: StageBox, colour: string, thickness: number, aside = 0): Mark {
  return band(`M${centre(box) + aside} ${box.y - 30}V${box.y - 5}`, colour, thickness);
}

/** Queries and keys meet in the scores. */
function meeting(layout: Layout, { block, head }: HeadPlace, shape: FlowShape, palette: Palette): Mark[] {
  const thickness = Math.max(1.25, FULL / shape.heads);
  const raw = boxOf(layout, 'raw');
  if (!raw) return [];
  return (['qh', 'kh'] as const).flatMap((id, index): Mark[] => {
    const strip = boxOf(layout, id);
    if (!strip) return [];
    const colour = id === 'qh' ? palette.mark.query : palette.mark.key;
    const side = id === 'qh' ? 1 : -1;
    const end = centre(raw) + side * 4;
    if (strip.y !== raw.y) {
      const name = stageSymbol(id, block, head);
      const [x, y] = [centre(raw) - side * 18, raw.y - 42];
      const label = palette.text[id === 'qh' ? 'query' : 'key'];
      return [
        stub(raw, colour, thickness, -side * 12),
        { kind: 'maths', x, y, maths: name, size: 15, colour: label, anchor: 'middle' },
      ];
    }
    const level = raw.y - 30 + index * 8;
    return [band(arch(centre(strip) + 6, end, raw.y - 5, level), colour, thickness)];
  });
}

/** The values pass below the scores and the weights, and become the head's output. */
function valuesToOutput(layout: Layout, shape: FlowShape, palette: Palette): Mark[] {
  const [vh, o] = [boxOf(layout, 'vh'), boxOf(layout, 'o')];
  if (!vh || !o) return [];
  const thickness = Math.max(1.25, FULL / shape.heads);
  const colour = palette.mark.value;
  if (vh.y !== o.y) return [over(o, colour), stub(o, colour, thickness)];
  const edge = vh.y + vh.height + 5;
  return [over(o, colour, true), band(arch(centre(vh) + 6, centre(o), edge, edge + 8), colour, thickness)];
}

/** A thin line from one square of scores to the next. */
function steps(layout: Layout, palette: Palette): Mark[] {
  const pairs = [
    ['raw', 'scaled'],
    ['scaled', 'masked'],
  ] as const;
  return pairs.flatMap(([from, to], index): Mark[] => {
    const [a, b] = [boxOf(layout, from), boxOf(layout, to)];
    if (!a || !b || a.y !== b.y) return [];
    const start = index === 0 ? centre(a) + 16 : centre(a) + 6;
    return [band(arch(start, centre(b) - 6, a.y - 5, a.y - 14), palette.mark.probability, 1.25)];
  });
}

/** Every head's output takes its place beside the others; all together are D wide again. */
function concatenation(layout: Layout, { block, head }: HeadPlace, shape: FlowShape, palette: Palette): Mark[] {
  const cat = boxOf(layout, 'cat');
  if (!cat) return [];
  const colour = palette.mark.value;
  const thickness = Math.max(1.25, FULL / shape.heads);
  const stubs = (wanted: (one: number) => boolean): string =>
    Array.from({ length: shape.heads }, (_, one) => one)
      .filter(wanted)
      .map((one) => `M${headCentre(cat, one, shape)} ${cat.y - 24}V${cat.y - 6}`)
      .join('');
  const x = headCentre(cat, head, shape);
  return [
    band(
      stubs((one) => one !== head),
      colour,
      thickness,
      0.35,
    ),
    band(
      stubs((one) => one === head),
      colour,
      thickness,
    ),
    bracket(cat, head, shape, colour),
    {
      kind: 'maths',
      x,
      y: cat.y - 32,
      maths: stageSymbol('o', block, head),
      size: 15,
      colour: palette.text.value,
      anchor: 'middle',
    },
  ];
}

function projection(layout: Layout, palette: Palette): Mark[] {
  const [cat, a] = [boxOf(layout, 'cat'), boxOf(layout, 'a')];
  if (!cat || !a || cat.y !== a.y) return [];
  return [band(arch(cat.x + cat.width + 9, a.x + 16, cat.y - 2, cat.y - 42), palette.mark.residual, FULL, 0.35)];
}

export function ribbonMarks(layout: Layout, at: HeadPlace, shape: FlowShape, palette: Palette): Mark[] {
  const { head } = at;
  return [
    ...layout.lines.flatMap((line) => fused(line, layout, palette)),
    ...split(layout, head, shape, palette),
    ...meeting(layout, at, shape, palette),
    ...steps(layout, palette),
    ...valuesToOutput(layout, shape, palette),
    ...concatenation(layout, at, shape, palette),
    ...projection(layout, palette),
  ];
}
