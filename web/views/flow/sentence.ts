// The sentence between the bands: what the focused head's query of the lit token reads, with its real numbers.
import type { Palette } from '../../ui/colour/palette';
import type { Mark, Run } from '../../ui/marks/marks';
import { brokenRuns } from '../../ui/marks/measure';
import { tokenText } from '../../ui/tokens';
import type { Words } from '../../ui/words/words';
import type { FlowData } from './data';
import type { Layout } from './layout';

/** The largest weights of the lit query that are worth a word: at most three, each at least a tenth. */
function strongestKeys(weights: Float32Array, count = 3, least = 0.1): { key: number; weight: number }[] {
  const sorted = Array.from(weights, (weight, key) => ({ key, weight })).sort((a, b) => b.weight - a.weight);
  return sorted.slice(0, count).filter(({ weight }, index) => index === 0 || weight >= least);
}

export function sentenceRuns(data: FlowData, words: Words): readonly Run[] {
  const { query, tokens, head } = data;
  const text = (index: number): string => {
    const token = tokens[index];
    return token ? tokenText(token) : '';
  };
  const visible = query.weights.subarray(0, query.row + 1);
  const strongest = strongestKeys(visible);
  const told = strongest.reduce((sum, { weight }) => sum + weight, 0);
  return words.reads({
    head,
    token: text(query.row),
    alone: query.row === 0,
    readings: strongest.map(({ key, weight }) => ({
      token: text(key),
      weight: weight.toFixed(2),
      self: key === query.row,
    })),
    others: visible.length - strongest.length,
    rest: Math.max(0, 1 - told).toFixed(2),
  });
}

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
