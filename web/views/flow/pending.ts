// The figure before there are numbers: outlines of what will be drawn, with a word, and nothing that looks like data.
import type { Palette } from '../../ui/colour/palette';
import { type Drawing, type Mark, rectPath } from '../../ui/marks/marks';
import type { Layout } from './layout';
import { stageSpec, stageSymbol } from './stages';

export function drawPending(layout: Layout, block: number, head: number, word: string, palette: Palette): Drawing {
  const boxes = layout.lines.flatMap((line) => line.boxes);
  const outlines = boxes.map((box): Mark => {
    return { kind: 'path', path: rectPath(box), stroke: palette.rule, width: 1, dash: '3 3' };
  });
  const symbols = boxes.map((box): Mark => {
    const colour = palette.text[stageSpec(box.id).role];
    const y = box.y + box.height + 24;
    return { kind: 'maths', x: box.x, y, maths: stageSymbol(box.id, block, head), size: 18, colour };
  });
  const said = layout.lines.flatMap((line): Mark[] => {
    const [first] = line.boxes;
    const widest = line.boxes.reduce((a, b) => (b.width > a.width ? b : a), first ?? { x: 0, width: 0 });
    const y = (line.rowsTop + line.rowsBottom) / 2 + 5;
    const runs = [{ text: word, italic: true }];
    const x = widest.x + widest.width / 2;
    return [{ kind: 'text', x, y, runs, size: 16, face: 'serif', colour: palette.inkSoft, anchor: 'middle' }];
  });
  return { width: layout.width, height: layout.height, marks: [...outlines, ...symbols, ...said] };
}
