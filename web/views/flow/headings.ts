// The two bands' headings.
import type { Palette } from '../../ui/colour/palette';
import type { Mark } from '../../ui/marks/marks';
import type { Words } from '../../ui/words/words';
import type { FlowData } from './data';
import type { Layout, Line } from './layout';

export function headingMarks(line: Line, layout: Layout, data: FlowData, words: Words, palette: Palette): Mark[] {
  if (!line.first) return [];
  const { title, question } = words.bands[line.band];
  const number = line.band === 'read' ? '1' : '2';
  const narrow = layout.form === 'narrow';
  const asked = question(data.head, data.shape.heads);
  const base = { kind: 'text', face: 'serif', colour: palette.ink } as const;
  const head: Mark = {
    ...base,
    x: 0,
    y: line.top + 22,
    size: 21,
    runs: [
      { text: `${number} `, colour: palette.inkFaint },
      { text: title, weight: 600 },
    ],
  };
  const ask: Mark = {
    ...base,
    x: narrow ? 0 : layout.labelRight + 14,
    y: line.top + (narrow ? 46 : 22),
    size: narrow ? 16 : 18,
    colour: palette.inkSoft,
    runs: [{ text: asked, italic: true }],
  };
  return [head, ask];
}
