// The log's own style sheet.
import { sheet } from '../../ui/dom';

export const logSheet = sheet(`
  .filter { display: flex; gap: 10px; align-items: baseline; flex: 1 1 320px; max-width: 480px; }
  .filter input { flex: 1; min-width: 0; border: 0; border-bottom: 1px solid var(--rule); background: none; border-radius: 0;
    padding: 2px 0 3px; font-family: var(--mono); font-size: 13px; }
  .filter input[aria-invalid=true] { border-bottom-color: var(--ink); }
  .toggle { padding-bottom: 1px; border-bottom: 1px solid var(--rule); color: var(--ink-soft); }
  .toggle:hover { color: var(--ink); border-bottom-color: var(--ink); }
  .toggle[aria-pressed=true] { color: var(--ink); box-shadow: 0 1px 0 var(--ink); border-bottom-color: var(--ink); }
  .said { min-height: 1.4em; }
  .said:empty { display: none; }
  tbody th[scope=rowgroup] { font: 600 17px/1.3 var(--serif); padding-top: 18px; }
  .ask { position: sticky; left: 0; display: inline-flex; gap: 14px; font: 14px/1.4 var(--sans); color: var(--ink-soft);
    margin-left: 18px; }
  .ask:empty { display: none; }
  .name { text-decoration: underline; text-decoration-color: var(--rule); text-underline-offset: 4px; }
  .name:hover { text-decoration-color: var(--ink); }
  .of + .of { margin-left: 14px; }
  .note td { padding-top: 0; color: var(--ink-soft); font-size: 13.5px; }
  .values > td { padding: 2px 0 12px; }
  .values table { font-size: 14px; }
  .values table td { padding: 1px 0 1px 18px; text-align: right; min-width: 76px; }
  .values table td.gap { min-width: 0; color: var(--ink-faint); text-align: center; }
  .values table td:first-child { padding-left: 0; }
`);
