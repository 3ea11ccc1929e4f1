// The engine's worker as a script beside the page's.
import { openWith } from './client';

export const openInWorker = openWith(() => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }));
