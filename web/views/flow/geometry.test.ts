// The flow's labels, from the drawing's own marks: at every width and length none overprints another and none is cut.
import { describe, expect, test } from 'vitest';
import { palettes } from '../../ui/colour/palette';
import type { TextMark } from '../../ui/marks/marks';
import { cutLabels, overprints } from '../../ui/marks/testing/clashes';
import { en } from '../../ui/words/en';
import { drawFlow, type FlowDrawing, type FlowView, planFlow } from './drawing';
import type { FlowShape } from './stages';
import { madeData } from './testing/made';

const SHAPES = {
  'D 256, 8 heads': { width: 256, heads: 8, headDim: 32 },
  'D 768, 12 heads': { width: 768, heads: 12, headDim: 64 },
} as const;

/** The figure's width in windows of 390, 768, 1024, 1280, 1440 and 1920 pixels. */
const WIDTHS = [358, 704, 960, 1216, 1376, 1856];
const ASIDE = 356;

const view = (width: number, names: boolean): FlowView => ({
  width,
  palette: palettes.light,
  words: en,
  names,
  withoutFirstKey: false,
  fitWeights: false,
  aside: ASIDE,
});

function drawn(shape: FlowShape, width: number, row: number, names: boolean, head: number): FlowDrawing {
  const plan = planFlow(shape, shape.tokens, view(width, names));
  return drawFlow(madeData(shape, [0, shape.tokens], row, 3, head, plan), view(width, names));
}

const bold = ({ marks, layout }: FlowDrawing) =>
  marks.filter(
    (mark): mark is TextMark => mark.kind === 'text' && mark.x === layout.labelRight && mark.runs[0]?.weight === 650,
  );

describe.each(Object.entries(SHAPES))('%s', (_, model) => {
  describe.each(WIDTHS.map((width) => [width]))('at %i px', (width) => {
    test.each([[1], [2], [9], [20], [54], [250]])('%i tokens', (tokens) => {
      const shape = { tokens, ...model };
      for (const row of new Set([0, Math.floor(tokens / 2), tokens - 1])) {
        for (const names of [false, true]) {
          for (const head of [0, model.heads - 1]) {
            const drawing = drawn(shape, width, row, names, head);
            const at = `row ${row}, head ${head}${names ? ', names' : ''}`;
            expect(overprints(drawing), at).toEqual([]);
            expect(cutLabels(drawing), at).toEqual([]);
            expect(bold(drawing), at).toHaveLength(drawing.layout.lines.length);
            for (const box of drawing.tensors) {
              expect(box.x + box.width + box.deck, `${box.id}, ${at}`).toBeLessThanOrEqual(width);
            }
          }
        }
      }
    });
  });
});

test.each([[704], [960], [1216], [1376], [1856]])('two tokens at %i px: the squares keep their captions', (width) => {
  const shape = { tokens: 2, ...SHAPES['D 768, 12 heads'] };
  const said = drawn(shape, width, 1, false, 0).marks.flatMap((mark) =>
    mark.kind === 'text' ? [mark.runs.map(({ text }) => text).join('')] : [],
  );
  for (const id of ['raw', 'scaled', 'masked', 'p', 'o'] as const) {
    const [word = ''] = en.stages[id].split(' ');
    expect(
      said.some((text) => text.startsWith(word)),
      id,
    ).toBe(true);
  }
});
