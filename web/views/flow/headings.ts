// The two bands' headings.
import type { Palette } from '../../ui/colour/palette';
import type { Mark } from '../../ui/marks/marks';
import type { Words } from '../../ui/words/words';
import type { FlowData } from './data';
import type { Line } from './layout';

export function headingMarks(line: Line, data: FlowData, words: Words, palette: Palette): Mark[] {
  if (!line.first) return [];
  const { title, question } = words.bands[line.band];
  const number = line.band === 'read' ? '1' : '2';
  const asked = question(data.head, data.shape.heads);
  return [
    {
      kind: 'text',
      x: 0,
      y: line.top + 22,
      size: 20,
      face: 'serif',
      colour: palette.ink,
      runs: [
        { text: `${number}\u2002`, colour: palette.inkFaint },
        { text: title, weight: 620 },
        { text: `\u2002${asked}`, italic: true, colour: palette.inkSoft },
      ],
    },
  ];
}
