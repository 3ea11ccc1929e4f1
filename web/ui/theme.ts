// Light and dark: custom properties from the palettes, and the sheet that every element shares.
import { type Palette, palettes, type Theme } from './colour/palette';
import { sheet } from './dom';
import { faces } from './marks/svg';
import type { ThemeChoice } from './state';

const properties = (palette: Palette): string =>
  [
    ['paper', palette.paper],
    ['wash', palette.wash],
    ['ink', palette.ink],
    ['ink-soft', palette.inkSoft],
    ['ink-faint', palette.inkFaint],
    ['rule', palette.rule],
    ['light', palette.light],
    ['probability', palette.text.probability],
    ['probability-mark', palette.mark.probability],
  ]
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');

/** The custom properties of a theme, for whatever matches the selector and all in it. */
export const themeVariables = (selector: ':root' | ':host', theme: Theme): string =>
  `${selector} { color-scheme: ${theme}; ${properties(palettes[theme])} ` +
  `--sans: ${faces.sans}; --serif: ${faces.serif}; --mono: ${faces.mono}; }`;

const preference = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
/** The reader's own colours, which the browser puts in the place of the page's: only their scheme is to be followed. */
const contrast = globalThis.matchMedia?.('(forced-colors: active)');
/** What a pixel of type is, of a reader whose size is the usual one. */
const READERS_PIXEL = ':root { --px: 0.0625rem; }';
const documentSheet = sheet('');

export const resolveTheme = (choice: ThemeChoice): Theme =>
  choice === 'auto' || contrast?.matches ? (preference?.matches ? 'dark' : 'light') : choice;

export function applyTheme(theme: Theme): void {
  documentSheet.replaceSync(READERS_PIXEL + themeVariables(':root', theme));
  if (!document.adoptedStyleSheets.includes(documentSheet)) {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, documentSheet];
  }
}

export function onPreferenceChange(listener: () => void): void {
  for (const query of [preference, contrast]) query?.addEventListener('change', listener);
}

/** Adopted by every shadow root. */
export const shared = sheet(`
  :host { display: block; font-family: var(--sans); color: var(--ink); font-size: 15px; line-height: 1.4; }
  :host([hidden]) { display: none; }
  *, *::before, *::after { box-sizing: border-box; }
  button, select, textarea, input { font: inherit; color: inherit; }
  button { background: none; border: 0; padding: 0; cursor: pointer; text-align: inherit; }
  .label { color: var(--ink-faint); font-size: 13px; }
  .quiet { color: var(--ink-soft); text-decoration: underline; text-decoration-color: var(--rule);
    text-underline-offset: 4px; text-decoration-thickness: 1px; }
  .quiet:hover { color: var(--ink); text-decoration-color: var(--ink); }
  :focus-visible { outline: 2px solid var(--ink); outline-offset: 3px; border-radius: 1px; }
  math { font-family: var(--serif); math-style: compact; }
  mi { font-style: italic; text-transform: none; }
  .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  @media (forced-colors: active) { button:is([aria-pressed='true'], [aria-checked='true'], [aria-selected='true']) {
    forced-color-adjust: none; background: Highlight !important; color: HighlightText !important; } }
  @media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
`);
