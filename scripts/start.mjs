// `npm start`: sets up, builds the engine and the page, and serves them. The address comes last.
import { build } from './build.mjs';
import { setUp } from './setup/main.mjs';

setUp(['page']);
build(['wasm', 'page']);
// Only now, since it uses a package that set-up installs.
const { serve } = await import('./serve.mjs');
const { url } = await serve();
console.log(`Headflow is at ${url} (Ctrl-C stops it)`);
