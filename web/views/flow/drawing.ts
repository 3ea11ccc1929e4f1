// The flow of one block's attention as a pure function: from tensors and view state to marks, without DOM.

import type { Span } from '../../engine/api';
import type { Palette } from '../../ui/colour/palette';
import type { Scale } from '../../ui/colour/scale';
import type { CellsMark, Drawing, Mark } from '../../ui/marks/marks';
import type { StageId } from '../../ui/state';
import type { Words } from '../../ui/words/words';
import { captionHeight, captionMarks } from './captions';
import type { FlowData } from './data';
import { headingMarks } from './headings';
import { keyLabels, tokenLabels, weightLabels } from './labels';
import { type Layout, layoutFlow, type StageBox } from './layout';
import { noteMarks } from './notes';
import { operatorMarks } from './operators';
import { ribbonMarks } from './ribbons';
import { flowScales } from './scales';
import { sentenceMarks } from './sentence';
import type { FlowShape } from './stages';
import { tensorMarks } from './tensors';

export interface FlowView {
  readonly width: number;
  readonly palette: Palette;
  readonly words: Words;
  readonly names: boolean;
  readonly withoutFirstKey: boolean;
  readonly fitWeights: boolean;
  /** Width kept free beside the second band. */
  readonly aside: number;
}

export interface FlowDrawing extends Drawing {
  readonly layout: Layout;
  /** Where each tensor stands and what part of which node it shows. */
  readonly tensors: readonly StageBox[];
  /** Those of the marks that belong to the lit row: its labels and its weights' digits. */
  readonly row: readonly Mark[];
  /** The scale of the weights' colours. */
  readonly weights: Scale | null;
}

/** Labels and digits with another row lit: in place of the drawing's own. */
export function rowMarks(
  { layout, weights }: Pick<FlowDrawing, 'layout' | 'weights'>,
  data: FlowData,
  row: number,
  palette: Palette,
): Mark[] {
  const labels = layout.lines.flatMap((line) => tokenLabels(line, layout, data, palette, row));
  return weights ? [...labels, ...weightLabels(layout, data, weights, palette, row)] : labels;
}

/** The layout alone: it says how many bins of each tensor will be drawn, before any data is there. */
export function planFlow(
  shape: FlowShape,
  rowCount: number,
  view: Pick<FlowView, 'width' | 'names' | 'aside'>,
): Layout {
  const options = { captionHeight: captionHeight(view.names), aside: view.aside };
  return layoutFlow(shape, rowCount, view.width, options);
}

/** The row of bins that holds the lit token, or -1 where it is not among the rows shown. */
export function litRow(data: FlowData): number {
  const { row } = data.query;
  if (row < data.rows[0] || row >= data.rows[1]) return -1;
  return Math.floor((row - data.rows[0]) / (data.parts.get('z')?.picture.binSize[0] ?? 1));
}

export function drawFlow(data: FlowData, view: FlowView): FlowDrawing {
  const { palette, words } = view;
  const layout = planFlow(data.shape, data.rows[1] - data.rows[0], view);
  const scales = flowScales(data, view);
  const marks: Mark[] = [];
  const tensors: StageBox[] = [];
  const lit = litRow(data);
  marks.push(...ribbonMarks(layout, data, data.shape, palette));
  for (const line of layout.lines) {
    for (const planned of line.boxes) {
      const part = data.parts.get(planned.id);
      const scale = scales.get(planned.id);
      if (!part || !scale) continue;
      const [rows, columns] = part.picture.shape;
      const box = { ...planned, rows, columns };
      tensors.push(box);
      marks.push(...tensorMarks(box, part, scale, data, palette));
    }
    marks.push(...headingMarks(line, layout, data, words, palette));
    marks.push(...captionMarks(line, layout, { data, scales, words, palette, names: view.names }));
  }
  marks.push(...operatorMarks(layout, data, palette));
  marks.push(...keyLabels(layout, data, palette));
  const weights = scales.get('p') ?? null;
  const row = rowMarks({ layout, weights }, data, lit, palette);
  marks.push(...row);
  marks.push(...sentenceMarks(layout, data, words, palette));
  const notes = noteMarks(layout, data, scales, view, words, palette, view.aside);
  marks.push(...notes.marks);
  return { width: layout.width, height: layout.height + notes.height, marks, layout, tensors, row, weights };
}

/** One tensor's numbers as they are drawn, and what they are numbers of. */
export interface DrawnTensor {
  readonly stage: StageId;
  readonly node: string;
  readonly head: number;
  readonly rows: Span;
  readonly columns: Span;
  readonly shape: readonly [number, number];
  readonly binSize: readonly [number, number];
  readonly values: Float32Array;
}

export function drawnTensors(drawing: FlowDrawing, data: FlowData): readonly DrawnTensor[] {
  return drawing.tensors.flatMap((box) => {
    const part = data.parts.get(box.id);
    const mark = drawing.marks.find(
      (one): one is CellsMark => one.kind === 'cells' && one.x === box.x && one.y === box.y,
    );
    if (!part || !mark) return [];
    const { node, head, rows, columns } = part.region;
    const shape = [mark.rows, mark.columns] as const;
    return [{ stage: box.id, node, head, rows, columns, shape, binSize: part.picture.binSize, values: mark.values }];
  });
}
