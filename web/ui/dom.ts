// Small help for building elements without markup strings, and for style sheets without style attributes.

type Value = string | number | boolean | null | undefined | ((event: never) => void);

/** An element with attributes; "onX" functions become listeners, true an empty attribute, null and false none. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Value>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/** Sizes of type follow the reader's own, where the document says what a pixel of it is: --px (theme.ts). */
const inReadersSize = (css: string): string =>
  css.replace(/font(-size)?:[^;}]*/g, (type) => type.replace(/([\d.]+)px/g, 'calc($1 * var(--px, 1px))'));

export function sheet(css: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(inReadersSize(css));
  return made;
}

/** A shadow root with the shared sheet and the element's own. */
export function shadow(host: HTMLElement, ...sheets: CSSStyleSheet[]): ShadowRoot {
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = sheets;
  return root;
}

/** An event that crosses shadow roots. */
export function emit<T>(host: HTMLElement, type: string, detail: T): void {
  host.dispatchEvent(new CustomEvent<T>(type, { detail, bubbles: true, composed: true }));
}

export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element);
}
