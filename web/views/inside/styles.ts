// The panels' tables: an article's, with hairlines only under their heads; they scroll in themselves where they are too wide.
import { sheet } from '../../ui/dom';

export const insideSheet = sheet(`
  :host { container-type: inline-size; }
  p { margin: 0 0 10px; max-width: 68ch; }
  .lead { font: italic 17px/1.45 var(--serif); color: var(--ink-soft); }
  .bar { display: flex; flex-wrap: wrap; gap: 6px 24px; align-items: baseline; margin: 0 0 14px; font-size: 14px; }
  .scroll { overflow-x: auto; scrollbar-width: thin; margin: 0 -4px; padding: 0 4px; }
  table { border-collapse: collapse; font-size: 14.5px; white-space: nowrap; font-variant-numeric: tabular-nums; }
  th, td { text-align: left; font-weight: 400; padding: 3px 28px 3px 0; vertical-align: baseline; }
  th:last-child, td:last-child { padding-right: 0; }
  thead th { color: var(--ink-faint); font-size: 13px; border-bottom: 1px solid var(--rule); padding-bottom: 5px; }
  .n { text-align: right; }
  .mono { font-family: var(--mono); font-size: 13px; }
  .soft { color: var(--ink-soft); }
  .faint { color: var(--ink-faint); }
  math { font-size: 17px; }
  [hidden] { display: none; }
  @media (max-width: 860px) { table { font-size: 14px; } th, td { padding-right: 18px; } }
`);
