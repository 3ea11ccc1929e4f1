// A web server for tests: serves dist/ and model files, counts what it sends, and misbehaves where a route says so.
//
//   const server = await startServer();
//   const url = server.route('m.gguf', { file: path, cut: { at: 1e6, how: 'reset' } });
//   server.traffic('m.gguf')   // { requests, bytes }
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';
import { root } from '../../../scripts/setup/paths.mjs';
import { contentOf, typeOf } from './content.mjs';
import { Gate, Pace } from './pace.mjs';
import { planAnswer, rangeOf } from './plan.mjs';
import { sendBody } from './send.mjs';

/** @typedef {import('./options').Route} Route */
/** @typedef {import('./options').Logged} Logged */

/** @param {import('./options').ServerOptions} options */
export async function startServer(options = {}) {
  const server = new TestServer(options);
  await server.listen(options.host ?? '127.0.0.1');
  return server;
}

/** Whether an exception is one for a path's `number`th request, having been used so many times. */
function applies(
  { from = 1, to = Number.POSITIVE_INFINITY, times = Number.POSITIVE_INFINITY, holding },
  number,
  used,
  range,
) {
  if (number < from || number > to || used >= times) return false;
  return holding === undefined || (range !== null && range.begin <= holding && holding < range.end);
}

export class TestServer {
  #options;
  #routes = new Map();
  #gate = new Gate();
  #pace;
  #http = createServer((request, response) => void this.#answer(request, response));
  /** @type {string} The address of the served folder, with a slash at its end. */
  url = '';
  /** @type {Logged[]} Every request so far, in order of arrival. */
  log = [];

  /** @param {import('./options').ServerOptions} options */
  constructor(options) {
    this.#options = { base: '/', folder: join(root, 'dist'), defaults: {}, ...options };
    this.#pace = new Pace(options.bytesPerSecond);
  }

  /**
   * @param {string} host
   * @param {number} [wanted]
   */
  async listen(host, wanted = 0) {
    await new Promise((resolve, reject) => {
      this.#http.once('error', reject).listen(wanted, host, () => resolve(undefined));
    });
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#http.address());
    this.url = `http://${host}:${port}${this.#options.base}`;
  }

  /**
   * Says how a path is answered from now on; without `route`, as a file of the folder again. Paths are relative to the
   * folder's address. Returns the full address.
   * @param {string} path
   * @param {Route} [route]
   * @returns {string}
   */
  route(path, route) {
    const url = new URL(path, this.url);
    if (route) this.#routes.set(url.pathname, { route, requests: 0, used: new Map() });
    else this.#routes.delete(url.pathname);
    return url.href;
  }

  /**
   * Requests and bytes of bodies for a path, or for all that a function accepts. Preflights do not count.
   * @param {string | ((logged: Logged) => boolean)} which
   * @returns {import('./options').Traffic}
   */
  traffic(which) {
    const chosen = this.requests(which).filter(({ method }) => method !== 'OPTIONS');
    return { requests: chosen.length, bytes: chosen.reduce((sum, { sent }) => sum + sent, 0) };
  }

  /**
   * @param {string | ((logged: Logged) => boolean)} which
   * @returns {Logged[]}
   */
  requests(which) {
    if (typeof which === 'function') return this.log.filter(which);
    const { pathname } = new URL(which, this.url);
    return this.log.filter(({ path }) => path === pathname);
  }

  /** Forgets the requests so far. */
  forget() {
    this.log = [];
  }

  /** All responses that are stalled now go on. */
  release() {
    this.#gate.open();
  }

  /** Breaks every connection that is open: the plug is pulled, though the next request is answered. */
  breakAll() {
    this.#http.closeAllConnections();
    this.release();
  }

  /** Nothing listens any more, until `up`: the machine is off, or the reader is offline. */
  async down() {
    const closed = new Promise((resolve) => this.#http.close(resolve));
    this.breakAll();
    await closed;
  }

  async up() {
    const { hostname, port } = new URL(this.url);
    await this.listen(hostname, Number(port));
  }

  close() {
    return this.down();
  }

  async #answer(request, response) {
    const path = new URL(request.url, this.url).pathname;
    /** @type {any} */
    const logged = { method: request.method, path, headers: request.headers, range: null, status: 0, sent: 0 };
    logged.range = rangeOf(request.headers.range, Number.MAX_SAFE_INTEGER);
    logged.outcome = 'open';
    this.log.push(logged);
    response.on('error', () => undefined); // A client may leave at any time.
    try {
      logged.outcome = await this.#respond(path, request, response, logged);
    } catch (error) {
      logged.outcome = 'cut';
      response.destroy(error);
    }
  }

  async #respond(path, request, response, logged) {
    const answer = this.#answerFor(path, logged.range);
    await this.#wait(answer.latency ?? 0);
    if (response.destroyed) return 'cancelled';
    const content = contentOf(answer);
    const type = typeOf(answer.file ?? path);
    const { status, headers, part, text } = planAnswer(request.method, request.headers, answer, content, type);
    const chunked = answer.cut?.how === 'end';
    const kept = Object.entries(headers).filter(
      ([name, value]) => value !== null && !(chunked && name === 'content-length'),
    );
    response.writeHead(status, Object.fromEntries(kept));
    logged.status = status;
    if (part === null || request.method === 'HEAD') {
      logged.sent = request.method === 'HEAD' ? 0 : (text?.length ?? 0);
      response.end(text);
      return 'whole';
    }
    response.flushHeaders();
    const paces = [this.#pace, new Pace(answer.bytesPerSecond)];
    const onSent = (bytes) => {
      logged.sent += bytes;
    };
    return sendBody(response, { answer, content, part, paces, gate: this.#gate, onSent });
  }

  #wait(latency) {
    if (latency === Number.POSITIVE_INFINITY) return this.#gate.wait();
    return latency > 0 ? new Promise((resolve) => setTimeout(resolve, latency)) : undefined;
  }

  #answerFor(path, range) {
    const { defaults } = this.#options;
    const entry = this.#routes.get(path);
    if (!entry) return { ...defaults, file: this.#fileAt(path) };
    const number = ++entry.requests;
    const { exceptions = [], ...route } = entry.route;
    const exception = exceptions.find((each) => applies(each, number, entry.used.get(each) ?? 0, range));
    if (exception) entry.used.set(exception, (entry.used.get(exception) ?? 0) + 1);
    const { bytes, file, ...rest } = { ...defaults, ...route, ...exception };
    const stored = exception?.bytes || exception?.file ? exception : { bytes, file };
    if (stored.bytes) return { ...rest, bytes: stored.bytes };
    return { ...rest, file: stored.file ?? this.#fileAt(path) };
  }

  /** The file of the folder that a path means, if it means one. */
  #fileAt(path) {
    const { base, folder } = this.#options;
    if (!path.startsWith(base)) return undefined;
    const name = normalize(decodeURIComponent(path.slice(base.length)));
    return name.startsWith('..')
      ? undefined
      : join(folder, name === '.' || name.endsWith('/') ? `${name}/index.html` : name);
  }
}
