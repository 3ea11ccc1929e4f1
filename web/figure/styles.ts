// The figure's own style sheet, and its colours as custom properties, which its parts inherit.
import { sheet } from '../ui/dom';

export const figureSheet = sheet(`
  :host { display: flex; flex-direction: column; position: relative; }
  .screen { display: grid; gap: 10px 36px; align-items: start; margin-bottom: 26px;
    grid-template: 'line line line' 'map hero side' 'sentence sentence side' 'hint hint side' / minmax(300px, 540px) minmax(440px, 1fr) minmax(230px, 300px); }
  .line { grid-area: line; min-width: 0; } .map { grid-area: map; min-width: 0; } .hero { grid-area: hero; min-width: 0; }
  .side { grid-area: side; min-width: 0; } .sentence { grid-area: sentence; } .hint { grid-area: hint; }
  .sentence { font: 400 21px/1.4 var(--serif); margin: 2px 0 0; color: var(--ink-soft); min-height: 1.4em; }
  .sentence strong { font-weight: 600; color: var(--ink); }
  .hint { margin: 0; color: var(--ink-soft); font-size: 14px; }
  .head { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; margin-top: 8px; font-size: 14px; }
  .edits { display: flex; flex-wrap: wrap; gap: 2px 12px; font-size: 14px; margin-bottom: 10px; color: var(--ink-soft); }
  .edits strong { color: var(--ink); }
  .trial { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; font-size: 14px; margin-top: 12px; color: var(--ink-soft); }
  .switch { border: 1px solid var(--rule); border-radius: 3px; padding: 3px 12px; }
  .switch:hover { border-color: var(--ink); }
  .switch[aria-pressed='true'] { background: var(--ink); color: var(--paper); border-color: var(--ink); }
  .note { color: var(--ink-soft); }
  @media (max-width: 1199px) { .screen { gap: 10px 24px;
    grid-template: 'line line' 'map hero' 'sentence sentence' 'side side' 'hint hint' / minmax(260px, 1fr) minmax(440px, 1.2fr); } }
  @media (max-width: 860px) { .screen { grid-template: 'line' 'sentence' 'side' 'hero' 'map' 'hint' / minmax(0, 1fr); } }
  hf-toggles { justify-content: flex-end; margin: 4px 0 -28px; }
  hf-flow { padding-bottom: 32px; }
  .empty { font: italic 20px/1.5 var(--serif); color: var(--ink-soft); margin: 48px 0; }
  .foot { position: sticky; bottom: 0; z-index: 2; background: var(--paper); border-top: 1px solid var(--rule);
    margin: auto calc(-1 * var(--bleed, 0px)) 0; padding: 0 var(--bleed, 0px); display: flex; flex-wrap: wrap;
    gap: 0 24px; justify-content: space-between; }
  .foot:not(:has(> :not([hidden]))) { display: none; }
  [hidden] { display: none; }
  @media (max-width: 860px) { hf-toggles { margin: 0 0 14px; justify-content: flex-start; } }
`);
