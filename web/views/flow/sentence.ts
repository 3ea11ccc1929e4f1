// The sentence between the bands: what the focused head's query of the lit token reads, with its real numbers.
import type { Palette } from '../../ui/colour/palette';
import type { Mark, Run } from '../../ui/marks/marks';
import { tokenText } from '../../ui/tokens';
import type { Words } from '../../ui/words/words';
import type { FlowData } from './data';
import type { Layout } from './layout';

/** The largest weights of the lit query that are worth a word: at most three, each at least a tenth. */
export function strongestKeys(weights: Float32Array, count = 3, least = 0.1): { key: number; weight: number }[] {
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

/** A fair guess of a run's width, for breaking lines without a DOM. */
const estimate = (text: string, size: number): number => {
  let width = 0;
  for (const letter of text) width += /[ilj.,;:'|·()]/.test(letter) ? 0.26 : /[mwMWQO@]/.test(letter) ? 0.76 : 0.47;
  return width * size;
};

/** Breaks runs into lines of at most `width`. */
export function brokenRuns(runs: readonly Run[], size: number, width: number): Run[][] {
  const lines: Run[][] = [[]];
  let used = 0;
  for (const run of runs) {
    for (const word of run.text.split(/(?<= )/)) {
      const length = estimate(word, size);
      if (used + length > width && used > 0) {
        lines.push([]);
        used = 0;
      }
      lines.at(-1)?.push({ ...run, text: word });
      used += length;
    }
  }
  return lines;
}

export function sentenceMarks(layout: Layout, data: FlowData, words: Words, palette: Palette): Mark[] {
  const narrow = layout.form === 'narrow';
  const size = narrow ? 17 : 20;
  const x = narrow ? 0 : layout.labelRight + 14;
  const lines = brokenRuns(sentenceRuns(data, words), size, Math.min(layout.width - x, 860));
  return lines.map(
    (runs, index): Mark => ({
      kind: 'text',
      x,
      y: layout.sentenceTop + 30 + index * size * 1.4,
      runs: runs.map((run) => (run.weight ? { ...run, colour: palette.ink } : run)),
      size,
      face: 'serif',
      colour: palette.inkSoft,
    }),
  );
}
