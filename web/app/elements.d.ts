// The page's own elements, by their tags.

import type { NoticeElement } from '../ui/notice';
import type { ProgressElement } from '../ui/progress';
import type { PromptElement } from '../ui/prompt';
import type { KeptElement } from '../views/kept/element';
import type { LoadingElement } from '../views/loading/element';
import type { InsideElement } from './inside';
import type { OptionsElement } from './options';
import type { OriginElement } from './origin';
import type { PageElement } from './page';
import type { StoriesElement } from './stories';

declare global {
  interface HTMLElementTagNameMap {
    'hf-inside': InsideElement;
    'hf-kept': KeptElement;
    'hf-loading': LoadingElement;
    'hf-notice': NoticeElement;
    'hf-options': OptionsElement;
    'hf-origin': OriginElement;
    'hf-page': PageElement;
    'hf-progress': ProgressElement;
    'hf-prompt': PromptElement;
    'hf-stories': StoriesElement;
  }
}
