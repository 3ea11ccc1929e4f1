// Notes at the foot of the figure: what a bin is and what a clipped scale means, where this figure has such.
import type { Palette } from '../../ui/colour/palette';
import type { Scale } from '../../ui/colour/scale';
import type { Mark } from '../../ui/marks/marks';
import { brokenRuns } from '../../ui/marks/measure';
import type { StageId } from '../../ui/state';
import type { Words } from '../../ui/words/words';
import type { FlowData } from './data';
import type { Layout } from './layout';
import type { WeightScale } from './scales';

const SIZE = 13.5;
const LINE = 19;

export function noteMarks(
  layout: Layout,
  data: FlowData,
  scales: ReadonlyMap<StageId, Scale>,
  weights: WeightScale,
  words: Words,
  palette: Palette,
  aside: number,
): { marks: Mark[]; height: number } {
  const parts = [...data.parts.values()];
  const notes: string[] = [];
  if (parts.some(({ picture }) => picture.binSize[0] * picture.binSize[1] > 1)) notes.push(words.notes.pooled);
  if ([...scales.values()].some(({ kind, clipped }) => clipped && kind === 'diverging'))
    notes.push(words.notes.clipped);
  if (scales.get('p')?.clipped) {
    if (weights.withoutFirstKey) notes.push(words.notes.withoutFirstKey);
    if (weights.fitWeights) notes.push(words.notes.fitWeights);
  }
  const x = layout.form === 'narrow' ? 0 : layout.labelRight + 12;
  const room = Math.min(layout.width - x - (layout.form === 'wide' ? aside : 0), 780);
  const lines = notes.flatMap((text) => brokenRuns([{ text }], SIZE, room));
  const marks = lines.map((runs, index): Mark => {
    const y = layout.height + 10 + index * LINE;
    return { kind: 'text', x, y, runs, size: SIZE, face: 'sans', colour: palette.inkFaint };
  });
  return { marks, height: lines.length * LINE + (lines.length > 0 ? 10 : 0) };
}
