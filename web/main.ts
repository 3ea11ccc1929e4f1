// The page's entry: the engine in a worker, the models' manifest and the service worker beside the page.

import { iconFromMemory } from './app/icon';
import { keepOffline } from './app/offline';
import { openInWorker } from './engine/spawn';
import './app/page';

const beside = (path: string): string => new URL(path, document.baseURI).href;
const page = document.querySelector('hf-page');
if (page) {
  iconFromMemory();
  const started = page.start(openInWorker, beside('models/models.json'));
  // Not before: the page's own loading comes first.
  if (import.meta.env.PROD) {
    const keepModel = () => page.keepModel();
    await keepOffline(beside('sw.js'), started, keepModel, (state) => page.showOffline(state));
  }
}
