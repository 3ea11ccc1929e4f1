// Serves dist/, and models/ under /models/, with byte ranges: node scripts/serve.mjs [--port 8080] [--host 127.0.0.1]
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import send from 'send';
import { root } from './setup/paths.mjs';

const models = join(root, 'models');
const FIRST_PORT = 8080;
const PORTS_TRIED = 100;

/** Answers a request from a folder. Browsers keep files, but ask each time whether they have changed. */
export function answer(request, response, path, folder) {
  send(request, path, { root: folder, index: 'index.html' })
    .on('error', (error) => {
      response.statusCode = error.status ?? 500;
      response.end(`${response.statusCode} ${error.message}\n`);
    })
    .pipe(response);
}

/** Answers a request for a path within models/. Of the list, what npm run model has brought is offered from here. */
export function answerModels(request, response, path) {
  if (path !== '/models.json') {
    answer(request, response, path, models);
    return;
  }
  const listed = JSON.parse(readFileSync(join(models, 'models.json'), 'utf8'));
  const offered = listed.map((model) =>
    model.local && existsSync(join(models, model.local)) ? { ...model, url: model.local } : model,
  );
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache' });
  response.end(JSON.stringify(offered));
}

function handle(request, response) {
  const path = request.url.replace(/\?.*/, '');
  if (path.startsWith('/models/')) answerModels(request, response, path.slice('/models'.length));
  else answer(request, response, path, join(root, 'dist'));
}

function listen(server, port, host) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(server.address().port);
    });
  });
}

/**
 * Listens on the port asked for, or on the first free one from 8080 up.
 * @param {{ port?: number, host?: string }} options
 */
export async function serve({ port, host = '127.0.0.1' } = {}) {
  const server = createServer(handle);
  const candidates = port === undefined ? Array.from({ length: PORTS_TRIED }, (_, i) => FIRST_PORT + i) : [port];
  for (const candidate of candidates) {
    try {
      const bound = await listen(server, candidate, host);
      return { server, url: `http://${host === '127.0.0.1' ? 'localhost' : host}:${bound}/` };
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || port !== undefined) throw error;
    }
  }
  throw new Error(`no free port from ${FIRST_PORT} up`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { port: { type: 'string' }, host: { type: 'string' } } });
  const { url } = await serve({ ...values, port: values.port === undefined ? undefined : Number(values.port) });
  console.log(`Serving at ${url}`);
}
