// The sentence between the bands: what the focused head's query of the lit token reads, with its real numbers.
import type { Palette } from '../../ui/colour/palette';
import type { Mark, Run } from '../../ui/marks/marks';
import { brokenRuns } from '../../ui/marks/measure';
import { readingRuns } from '../../ui/reading';
import type { Words } from '../../ui/words/words';
import type { FlowData } from './data';
import type { Layout } from './layout';

export const sentenceRuns = ({ query, tokens, block, head }: FlowData, words: Words): readonly Run[] =>
  readingRuns({ ...query, block, head, tokens }, words);

export function sentenceMarks(layout: Layout, data: FlowData, words: Words, palette: Palette): Mark[] {
  const narrow = layout.form === 'narrow';
  const size = narrow ? 17 : 20;
  const x = narrow ? 0 : layout.labelRight + 12;
  const lines = brokenRuns(sentenceRuns(data, words), size, layout.width - x, 'serif');
  return lines.map(
    (runs, index): Mark => ({
      kind: 'text',
      x,
      y: layout.sentenceTop + 34 + index * size * 1.4,
      runs: runs.map((run) => (run.weight ? { ...run, colour: palette.ink } : run)),
      size,
      face: 'serif',
      colour: palette.inkSoft,
    }),
  );
}
