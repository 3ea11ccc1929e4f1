// The breakdown's own style sheet: a sheet of paper at the foot of the window, its words at the left, its terms beside.
import { sheet } from '../../ui/dom';

export const breakdownSheet = sheet(`
  :host { display: block; flex: 1 1 100%; height: min(36vh, 420px); min-height: 0; overflow: hidden;
    display: flex; flex-direction: column; padding-top: 12px; border-bottom: 1px solid var(--rule); }
  :host([hidden]) { display: none; }
  .way { display: flex; gap: 6px 24px; align-items: baseline; flex-wrap: wrap; }
  h2 { font: italic 17px/1.3 var(--serif); color: var(--ink-soft); margin: 0; }
  nav { flex: 1; min-width: 0; overflow-x: auto; }
  ol { display: flex; list-style: none; margin: 0; padding: 0 0 2px; white-space: nowrap; }
  li + li::before { content: '←'; color: var(--ink-faint); padding: 0 9px; }
  math { font-size: 17px; }
  h2 .place { font-style: normal; color: var(--ink); }
  thead math, dt math, td > math { font-size: 14px; }
  .here math { font-weight: 600; }
  .step, .operand { text-decoration: underline; text-decoration-color: var(--rule); text-underline-offset: 5px; }
  .step:hover, .operand:hover { text-decoration-color: var(--ink); }
  .operand math { font-size: 15px; }
  .do { display: flex; gap: 20px; }
  .body { display: grid; grid-template-columns: minmax(300px, 5fr) minmax(0, 8fr); gap: 0 56px; min-height: 0; flex: 1; }
  .says, .terms { overflow-y: auto; min-height: 0; padding: 10px 0 14px; overscroll-behavior: contain; }
  p { margin: 0 0 6px; }
  .value { font-size: 17px; font-variant-numeric: tabular-nums; }
  .value b { font-weight: 600; }
  .formula { overflow-x: auto; overflow-y: hidden; padding: 2px 0; }
  .formula.numbers { font-variant-numeric: tabular-nums; color: var(--ink-soft); }
  .sentence { font: italic 16px/1.4 var(--serif); }
  .quietly, .note, .caption { color: var(--ink-soft); font-size: 13.5px; line-height: 1.45; }
  .note { max-width: 62ch; }
  .caption { margin-top: 12px; }
  dl { margin: 8px 0; display: grid; grid-template-columns: max-content max-content; gap: 2px 28px; font-size: 14px; }
  dl div { display: contents; }
  dt { color: var(--ink-soft); }
  dd { margin: 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .orders { display: flex; gap: 18px; font-size: 13.5px; margin-bottom: 4px; }
  .orders button { color: var(--ink-soft); padding-bottom: 1px; border-bottom: 1px solid transparent; }
  .orders button[aria-pressed='true'] { color: var(--ink); border-bottom-color: var(--ink); }
  table { border-collapse: collapse; font-size: 14px; white-space: nowrap; }
  th { font-weight: 400; text-align: left; color: var(--ink-soft); padding: 2px 14px 2px 0; }
  thead th { font-size: 12.5px; color: var(--ink-faint); text-align: right; position: sticky; top: -10px; z-index: 1;
    background: var(--paper); }
  td { padding: 2px 14px 2px 0; vertical-align: baseline; }
  .n { text-align: right; font-variant-numeric: tabular-nums; }
  .soft { color: var(--ink-soft); }
  .strong { font-weight: 600; }
  .own td, .own th { background: var(--wash); color: var(--ink); }
  .bars { width: 120px; min-width: 120px; }
  .axis { display: block; position: relative; height: 9px; }
  .axis::before { content: ''; position: absolute; left: 50%; top: -4px; bottom: -4px; width: 1px; background: var(--rule); }
  .bar { position: absolute; left: 50%; top: 0; bottom: 0; background: var(--ink-soft); }
  .bar.minus { left: auto; right: 50%; background: none; border: 1px solid var(--ink-soft); }
  .more { font-size: 13.5px; margin-top: 6px; }
  @media (max-width: 860px) {
    :host { height: auto; max-height: 50vh; overflow-y: auto; display: block; }
    .body { grid-template-columns: minmax(0, 1fr); }
    .says { display: contents; }
    .terms { overflow: auto visible; padding: 4px 0; order: 1; }
    dl, .note { order: 2; }
    nav { order: 3; flex: 1 1 100%; }
    h2 { flex: 1; font-size: 15px; }
    .way { position: sticky; top: -12px; background: var(--paper); padding: 4px 0; z-index: 1; }
    thead th { position: static; }
    table { font-size: 13px; }
    td, th { padding-right: 8px; }
    .bars { width: 56px; min-width: 56px; }
    .operand math { font-size: 14px; }
  }
`);
