// The page's entry: the engine in a worker, the models' manifest beside the page.
import { openInWorker } from './engine/spawn';
import './ui/page/page';

const page = document.querySelector('hf-page');
await page?.start(openInWorker, new URL('models/models.json', document.baseURI).href);
