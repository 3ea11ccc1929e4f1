// The page's own elements, by their tags.

import type { NoticeElement } from '../ui/notice';
import type { ProgressElement } from '../ui/progress';
import type { PromptElement } from '../ui/prompt';
import type { AnswerElement } from '../views/answer/element';
import type { BreakdownElement } from '../views/breakdown/element';
import type { FlowElement } from '../views/flow/element';
import type { KeptElement } from '../views/kept/element';
import type { LoadingElement } from '../views/loading/element';
import type { InsideElement } from './inside';
import type { OptionsElement } from './options';
import type { OriginElement } from './origin';
import type { PageElement } from './page';
import type { PickersElement } from './pickers';
import type { ReadoutElement } from './readout';
import type { TogglesElement } from './toggles';

declare global {
  interface HTMLElementTagNameMap {
    'hf-answer': AnswerElement;
    'hf-breakdown': BreakdownElement;
    'hf-flow': FlowElement;
    'hf-inside': InsideElement;
    'hf-kept': KeptElement;
    'hf-loading': LoadingElement;
    'hf-notice': NoticeElement;
    'hf-options': OptionsElement;
    'hf-origin': OriginElement;
    'hf-page': PageElement;
    'hf-pickers': PickersElement;
    'hf-progress': ProgressElement;
    'hf-prompt': PromptElement;
    'hf-readout': ReadoutElement;
    'hf-toggles': TogglesElement;
  }
}
