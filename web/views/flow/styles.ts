// The flow element's own style sheet.
import { sheet } from '../../ui/dom';
import { STRUT } from '../../ui/marks/paint';

export const flowSheet = sheet(`
  :host { display: block; position: relative; }
  .figure { position: relative; touch-action: pan-y pinch-zoom; }
  .figure svg { position: absolute; inset: 0; overflow: visible; pointer-events: none; display: block; }
  .figure text { font-variant-numeric: tabular-nums; }
  .cells { position: absolute; image-rendering: pixelated; display: block; }
  .maths { position: absolute; display: flex; align-items: baseline; white-space: nowrap; line-height: 1; height: 0;
    width: 0; pointer-events: none; }
  .maths::before { content: ''; flex: none; width: 0; height: ${STRUT}px; }
  .maths math { flex: none; }
  .maths.middle { justify-content: center; }
  .maths.end { justify-content: flex-end; }
  .tensor { position: absolute; cursor: crosshair; }
  .tensor:focus-visible { outline: 2px solid var(--ink); outline-offset: 4px; }
  .card { position: absolute; padding: 0; cursor: pointer; }
  .card:hover, .card:focus-visible { outline: 1.5px solid var(--ink); outline-offset: 0; }
  .token { position: absolute; cursor: pointer; left: 0; padding: 0; }
  .token:focus-visible { outline-offset: -1px; }
  .aside { position: static; padding-top: 24px; }
  .aside.beside { position: absolute; padding-top: 0; z-index: 1; }
`);
