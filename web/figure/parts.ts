// The parts of a figure, how they are arranged, and what a reader does to them.
import type { NextToken } from '../engine/api';
import { h } from '../ui/dom';
import type { ScoreStage, WeightScaleChoice } from '../ui/screen';
import type { FigureState, HeadPlace } from '../ui/state';
import '../views/answer/element';
import '../views/flow/element';
import type { CellReading } from '../views/flow/reading';
import './readout';
import { Screen, type ScreenActions } from './screen';
import './toggles';

export type FigureParts = ReturnType<typeof makeParts>;

export const makeParts = (actions: ScreenActions) => ({
  empty: h('p', { class: 'empty', hidden: true }),
  screen: new Screen(actions),
  toggles: h('hf-toggles', { hidden: true }),
  flow: h('hf-flow', { hidden: true }),
  answer: h('hf-answer', { slot: 'aside' }),
  breakdown: h('hf-breakdown', { hidden: true }),
  readout: h('hf-readout'),
});

export function arranged(parts: FigureParts, figure: HTMLElement): HTMLElement[] {
  const { empty, screen, toggles, flow, answer, breakdown, readout } = parts;
  screen.answer.replaceChildren(answer);
  flow.addEventListener('pointermove', (event) => readout.place(event.clientX, event.clientY, figure));
  return [empty, screen.element, toggles, flow, h('div', { class: 'foot' }, breakdown), readout];
}

/** What the parts tell the figure, by the types of their events. */
export interface PartEvents {
  'hf-append': string;
  'hf-head': number;
  'hf-focus-head': HeadPlace;
  'hf-hover-head': HeadPlace | null;
  'hf-toggle-head': HeadPlace;
  'hf-lighting': Partial<FigureState>;
  'hf-stage': ScoreStage;
  'hf-scale': WeightScaleChoice;
  'hf-accept': NextToken;
  'hf-select': Pick<FigureState, 'row' | 'cell'>;
  'hf-path': readonly string[];
  'hf-toggle': Partial<FigureState>;
  'hf-point': CellReading | null;
  'hf-load-answer': null;
}

export type PartActions = { readonly [Type in keyof PartEvents]: (detail: PartEvents[Type]) => void };

/** None of these events leaves the figure. */
export function listen(root: ShadowRoot, actions: PartActions): void {
  for (const [type, act] of Object.entries(actions)) {
    root.addEventListener(type, (event) => {
      event.stopPropagation();
      (act as (detail: unknown) => void)((event as CustomEvent<unknown>).detail);
    });
  }
}
