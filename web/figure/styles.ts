// The figure's own style sheet, and its colours as custom properties, which its parts inherit.
import { sheet } from '../ui/dom';

export const figureSheet = sheet(`
  :host { display: flex; flex-direction: column; position: relative; }
  .screen { --square: 442; --map-height: 500; display: grid; gap: 10px 34px; align-items: start; margin-bottom: 30px;
    grid-template: 'line line line' auto 'map hero side' auto 'sentence hero side' auto 'hint hero side' 1fr
      / minmax(0, 1fr) minmax(0, 582px) minmax(230px, 250px); }
  .line { grid-area: line; min-width: 0; } .map { grid-area: map; min-width: 0; } .hero { grid-area: hero; min-width: 0; }
  .side { grid-area: side; min-width: 0; } .sentence { grid-area: sentence; } .hint { grid-area: hint; }
  .sentence { font: 400 21px/1.4 var(--serif); margin: 4px 0 0; color: var(--ink-soft); min-height: 2.8em; text-wrap: pretty; }
  .sentence strong { font-weight: 600; color: var(--ink); }
  .hint { color: var(--ink-soft); font-size: 14px; line-height: 1.5; } .hint p { margin: 0; max-width: 66ch; }
  .letters { margin-top: 2px; } .letters p { margin: 6px 0 0; }
  summary { cursor: pointer; width: max-content; max-width: 100%; } summary:hover { color: var(--ink); }
  .head { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; margin: 6px 0 0 84px; font-size: 14px; }
  .edits { display: flex; flex-wrap: wrap; gap: 2px 12px; font-size: 14px; margin-bottom: 10px; color: var(--ink-soft); }
  .edits strong { color: var(--ink); }
  .trial { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; font-size: 14px; margin-top: 12px; color: var(--ink-soft); }
  .switch { border: 1px solid var(--ink-faint); border-radius: 3px; padding: 3px 12px; color: var(--ink); }
  .switch:hover { border-color: var(--ink); }
  .switch[aria-pressed='true'] { background: var(--ink); color: var(--paper); border-color: var(--ink); }
  .note { color: var(--ink-soft); }
  @media (min-width: 1680px) { .screen { --square: 546; --map-height: 520; gap: 12px 48px;
    grid-template-columns: minmax(0, 1fr) minmax(0, 690px) minmax(260px, 320px); } }
  @media (max-width: 1359px) { .screen { --square: 390; --map-height: 400; gap: 8px 26px;
    grid-template-columns: minmax(0, 1fr) minmax(0, 530px) minmax(200px, 220px); } .sentence { font-size: 19px; } }
  @media (max-width: 1179px) { .screen { --square: 325; --map-height: 300; gap: 6px 24px;
    grid-template: 'line line' auto 'map hero' auto 'sentence hero' auto 'side hero' auto 'hint hint' 1fr
      / minmax(0, 1fr) minmax(0, 482px); } .sentence { font-size: 18px; } }
  @media (max-width: 899px) { .screen { --square: 420; --map-height: 420;
    grid-template: 'line line' auto 'sentence sentence' auto 'hero side' auto 'map map' auto 'hint hint' auto
      / minmax(0, 1fr) minmax(180px, 200px); } .sentence { min-height: 1.4em; } }
  @media (max-width: 699px) { .screen { --square: 900; gap: 14px;
    grid-template: 'line' 'sentence' 'side' 'hero' 'map' 'hint' / minmax(0, 1fr); } .hero { margin-right: -12px; }
    .head { margin-left: 0; }
    .sentence { min-height: 2.8em; } }
  hf-toggles { justify-content: flex-end; margin: 4px 0 -28px; }
  hf-flow { padding-bottom: 32px; }
  .empty { font: italic 20px/1.5 var(--serif); color: var(--ink-soft); margin: 48px 0; }
  .foot { position: sticky; bottom: 0; z-index: 2; background: var(--paper); border-top: 1px solid var(--rule);
    margin: auto calc(-1 * var(--bleed, 0px)) 0; padding: 0 var(--bleed, 0px); display: flex; flex-wrap: wrap;
    gap: 0 24px; justify-content: space-between; }
  .foot:not(:has(> :not([hidden]))) { display: none; }
  /* For a room: type of 20 pixels at least. The flow keeps its width, by which pictures are asked for. */
  :host([present]) :is(hf-toggles, .foot, .map, .side, .hint, .head) { display: none; }
  :host([present]) hf-flow { position: absolute; inset: 0; height: 0; padding: 0; overflow: hidden; visibility: hidden; }
  :host([present]) .screen { zoom: 1.7; --square: 250; gap: 6px 20px; margin: 0;
    grid-template: 'hero line' auto 'hero sentence' 1fr / minmax(0, 350px) minmax(0, 1fr); }
  :host([present]) .hero { margin: 0; }
  :host([present]) .sentence { font-size: 17px; margin: -18px 0 0; min-height: 0; }
  @media (min-height: 860px) and (min-width: 1200px) { :host([present]) .screen { --square: 300;
    grid-template: 'line line' auto 'hero sentence' 1fr / minmax(0, 446px) minmax(0, 1fr); }
    :host([present]) .sentence { font-size: 22px; margin-top: 34px; } }
  @media (min-height: 1040px) and (min-width: 1500px) { :host([present]) .screen { --square: 390;
    grid-template-columns: minmax(0, 540px) minmax(0, 1fr); } }
  @media (max-width: 899px) { :host([present]) .screen { zoom: 1.4; grid-template: 'line' 'sentence' 'hero' / minmax(0, 1fr); }
    :host([present]) .sentence { margin: 0; } }
  @media (max-width: 699px) { :host([present]) .screen { zoom: 1.1; } }
  [hidden] { display: none; }
  @media (max-width: 860px) { hf-toggles { margin: 0 0 14px; justify-content: flex-start; } }
`);
