// The figure's own style sheet, and its colours as custom properties, which its parts inherit.
import { sheet } from '../ui/dom';

export const figureSheet = sheet(`
  :host { display: flex; flex-direction: column; }
  hf-toggles { justify-content: flex-end; margin: 4px 0 -28px; }
  hf-flow { padding-bottom: 32px; }
  .empty { font: italic 20px/1.5 var(--serif); color: var(--ink-soft); margin: 48px 0; }
  .foot { position: sticky; bottom: 0; z-index: 2; background: var(--paper); border-top: 1px solid var(--rule);
    margin: auto calc(-1 * var(--bleed, 0px)) 0; padding: 0 var(--bleed, 0px); display: flex; flex-wrap: wrap;
    gap: 0 24px; justify-content: space-between; }
  [hidden] { display: none; }
  @media (max-width: 860px) { hf-toggles { margin: 0 0 14px; justify-content: flex-start; } }
`);
