// The page's own style sheet: one column, a strict rhythm, no boxes.
import { sheet } from '../ui/dom';

export const pageSheet = sheet(`
  :host { display: flex; flex-direction: column; min-height: 100vh; max-width: 1824px; margin: 0 auto; padding: 0 32px; }
  header { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; padding: 14px 0 8px; }
  h1 { font: 600 25px/1.1 var(--serif); margin: 0; letter-spacing: -0.01em; }
  .subtitle { font: italic 17px/1.2 var(--serif); color: var(--ink-soft); margin: 0; flex: 1 1 0; min-width: 300px; text-wrap: balance; }
  .top { margin-bottom: 10px; }
  hf-figure { --bleed: 32px; flex: 1 0 auto; margin-bottom: 24px; }
  .host { margin: 0 0 18px; font-size: 14px; color: var(--ink-soft); }
  .host:empty { display: none; }
  .dropping { position: fixed; inset: 16px; border: 2px dashed var(--ink-soft); display: grid; place-items: center;
    background: var(--paper); opacity: 0.94; font: italic 26px var(--serif); z-index: 4; }
  .tour { position: sticky; top: 0; z-index: 3; }
  .leave { display: none; position: fixed; left: 32px; bottom: 10px; margin: 0; color: var(--ink-soft); font-size: 20px; }
  @keyframes leave { to { opacity: 0; visibility: hidden; } }
  :host([present]) :is(header, .top, hf-origin, hf-inside, hf-progress, .host) { display: none; }
  :host([present]) { padding-top: 18px; box-sizing: border-box; } :host([present]) hf-figure { margin: 0; }
  :host([present]) .tour { zoom: 1.45; }
  :host([present]) .tour:not([hidden]) ~ .leave { display: none; }
  :host([present]) .leave { display: block; animation: leave 0.6s 6s forwards; }
  @media (max-width: 1179px) { .subtitle { font-size: 15px; } }
  [hidden] { display: none; }
  @media (max-width: 699px) { .leave { visibility: hidden; } :host { padding: 0 16px; } header { padding: 12px 0 10px; }
    hf-figure { --bleed: 16px; }
    .subtitle { flex: 1 1 100%; order: 3; font-size: 15px; min-width: 0; } h1 { font-size: 22px; flex: 1; } }
`);
