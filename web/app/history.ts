// The view state in the URL fragment: choices are steps of the browser's history, typing and pointing are not.
import { decodeState, encodeState, type ViewState } from '../ui/state';

export const readState = (): ViewState => decodeState(location.hash);

export function writeState(state: ViewState, step: boolean): void {
  const fragment = encodeState(state);
  const url = location.href.replace(/#.*/s, '') + (fragment ? `#${fragment}` : '');
  if (url === location.href) return;
  if (step) history.pushState(null, '', url);
  else history.replaceState(null, '', url);
}

export function onStateChange(listener: (state: ViewState) => void): void {
  addEventListener('popstate', () => listener(readState()));
  addEventListener('hashchange', () => listener(readState()));
}
