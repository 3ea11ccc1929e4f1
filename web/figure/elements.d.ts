// The figure and its parts, by their tags.

import type { AnswerElement } from '../views/answer/element';
import type { BreakdownElement } from '../views/breakdown/element';
import type { FlowElement } from '../views/flow/element';
import type { FigureElement } from './element';
import type { ReadoutElement } from './readout';
import type { TogglesElement } from './toggles';

declare global {
  interface HTMLElementTagNameMap {
    'hf-answer': AnswerElement;
    'hf-breakdown': BreakdownElement;
    'hf-figure': FigureElement;
    'hf-flow': FlowElement;
    'hf-readout': ReadoutElement;
    'hf-toggles': TogglesElement;
  }
}
