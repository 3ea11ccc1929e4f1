// The figure and its parts, by their tags.

import type { AnswerElement } from '../views/answer/element';
import type { BreakdownElement } from '../views/breakdown/element';
import type { FlowElement } from '../views/flow/element';
import type { MapElement } from '../views/map/element';
import type { WeightsElement } from '../views/weights/element';
import type { WordsElement } from '../views/words/element';
import type { FigureElement } from './element';
import type { ReadoutElement } from './readout';
import type { TogglesElement } from './toggles';

declare global {
  interface HTMLElementTagNameMap {
    'hf-answer': AnswerElement;
    'hf-breakdown': BreakdownElement;
    'hf-figure': FigureElement;
    'hf-flow': FlowElement;
    'hf-map': MapElement;
    'hf-readout': ReadoutElement;
    'hf-toggles': TogglesElement;
    'hf-weights': WeightsElement;
    'hf-words': WordsElement;
  }
}
