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
  const asked = question(`${data.block}.${data.head}`, data.shape.heads);
  const base = { kind: 'text', x: 0, size: 20, face: 'serif', colour: palette.ink } as const;
  const name = [
    { text: `${number}\u2002`, colour: palette.inkFaint },
    { text: title, weight: 620 },
  ];
  const said = { text: asked, italic: true, colour: palette.inkSoft };
  if (layout.form === 'narrow') {
    return [
      { ...base, y: line.top + 22, runs: name },
      { ...base, y: line.top + 46, size: 17, runs: [said] },
    ];
  }
  return [{ ...base, y: line.top + 22, runs: [...name, { text: '\u2002' }, said] }];
}
