// A model file on a web server, read by HTTP ranges; where the server knows none, its answer is the whole file.
import { EngineError } from '../errors';
import { forbidden } from '../policy';
import { type ByteSource, type ByteStream, cancelling, nothing, type Pieces, piecesOf } from './source';
import { Traffic } from './traffic';

/** Answers of a server that may be another one in a moment. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/** How the servers of one model treat requests for a part of a file. */
export class RangePolicy {
  /** Whether an answer with the whole file may be read from a server that has answered with parts before. */
  wholeAllowed = false;
}

export class UrlSource implements ByteSource {
  readonly name: string;
  readonly #traffic: Traffic;
  readonly #policy: RangePolicy;
  /** Whether the address is of the page's own origin: then no other host is asked, whatever a redirect says. */
  readonly #own: boolean;
  /** What the first answer said of the file. */
  #size: number | null = null;
  #hasRanges = false;

  constructor(url: string, traffic = new Traffic(), policy = new RangePolicy()) {
    this.name = url;
    this.#traffic = traffic;
    this.#policy = policy;
    this.#own = typeof location !== 'undefined' && new URL(url).origin === location.origin;
  }

  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    const response = await this.#fetch(begin, end, signal);
    try {
      this.#check(response, begin, end);
      return this.#stream(response, begin, end, signal);
    } catch (error) {
      response.body?.cancel().catch(() => undefined);
      throw error;
    }
  }

  #stream({ body, headers, status }: Response, begin: number, end: number, signal: AbortSignal): ByteStream {
    const whole = status !== 206;
    const length = lengthOf(headers);
    const fileSize = whole ? length : totalOf(headers.get('content-range'));
    const version = headers.get('etag') ?? headers.get('last-modified');
    this.#compare(fileSize);
    this.#hasRanges ||= !whole;
    const most = whole ? Number.POSITIVE_INFINITY : end - begin;
    const pieces = body === null ? nothing() : cancelling(this.#pieces(body, most, signal), () => body.cancel());
    return whole ? { begin: 0, fileSize, version, pieces, whole } : { begin, fileSize, version, pieces, length };
  }

  async #fetch(begin: number, end: number, signal: AbortSignal): Promise<Response> {
    this.#traffic.request();
    const headers: HeadersInit = end === Number.POSITIVE_INFINITY ? {} : { range: `bytes=${begin}-${end - 1}` };
    try {
      // Browsers' own caches of parts of a file make requests wait for each other.
      return await fetch(this.name, { headers, ...this.#mode(), cache: 'no-store', signal });
    } catch (error) {
      const obstacle = signal.aborted ? null : await forbidden('connect-src', this.name);
      const unpacked = signal.aborted || obstacle !== null ? null : await this.#unpacked(signal);
      if (unpacked !== null) return unpacked;
      if (obstacle === null) throw this.#interrupted(error, signal, advice(this.name));
      const hint = 'Download the file, then open it from your disk.';
      throw new EngineError('forbidden', `${this.name}: could not be read: ${obstacle}. ${hint}`, { cause: error });
    }
  }

  /** Of a page's own address, redirects are followed within its origin. */
  #mode(): RequestInit {
    return this.#own ? { mode: 'same-origin' } : {};
  }

  /**
   * After a request that failed. Chromium refuses an answer that is compressed though a range was asked for; the whole
   * file it unpacks. Throws where the address leads to another host. Null where there is nothing better to say.
   */
  async #unpacked(signal: AbortSignal): Promise<Response | null> {
    if (this.#hasRanges) return null;
    const request: RequestInit = { ...this.#mode(), cache: 'no-store', signal };
    let redirected = false;
    try {
      this.#traffic.request();
      let response = await fetch(this.name, this.#own ? { ...request, redirect: 'manual' } : request);
      redirected = response.type === 'opaqueredirect';
      if (redirected) response = await fetch(this.name, request);
      redirected = false;
      if (response.ok && response.headers.has('content-encoding')) return response;
      await response.body?.cancel();
    } catch {
      // The failure before this one is told.
    }
    if (!redirected || signal.aborted) return null;
    const got = 'the address of this page leads to another host, which is asked for nothing by itself';
    throw new EngineError('redirected', `${this.name}: ${got}. Give the address on that host.`);
  }

  #check(response: Response, begin: number, end: number): void {
    const { headers, status } = response;
    if (status === 416) {
      throw new EngineError('truncated', `${this.name}: the file ends before byte ${begin}. Is the upload complete?`);
    }
    if (!response.ok) {
      const said = `${status} ${response.statusText}`.trim();
      const passing = PASSING.has(status);
      throw new EngineError(
        passing ? 'server' : 'http',
        `${this.name}: the server answered ${said}. ${hintFor(status)}`,
      );
    }
    if (headers.get('content-type')?.startsWith('text/html')) {
      throw new EngineError('http', `${this.name}: got a web page, expected a GGUF file. Check the address.`);
    }
    if (status !== 206) {
      if (this.#hasRanges && end !== Number.POSITIVE_INFINITY && !this.#policy.wholeAllowed)
        throw this.#noRanges(headers);
      return;
    }
    const encoding = headers.get('content-encoding');
    if (encoding !== null && encoding !== 'identity') {
      const got = `got a part of the file compressed with ${encoding}, expected it as it is`;
      throw new EngineError('http', `${this.name}: ${got}. Let the server send .gguf files uncompressed.`);
    }
    const [, first] = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '') ?? [];
    if (first !== undefined && Number(first) !== begin) {
      const got = `got the bytes from ${first} on, expected those from ${begin} on`;
      throw new EngineError('http', `${this.name}: ${got}. The server's byte ranges are wrong.`);
    }
  }

  /** Nobody was asked for so much: the rest of the file comes only if it is asked for again. */
  #noRanges(headers: Headers): EngineError {
    const size = lengthOf(headers) ?? this.#size;
    const much = size === null ? '' : `, ${size} bytes`;
    const got = `the server sends the whole file${much}, where it sent the part that was asked for before`;
    return new EngineError('no_ranges', `${this.name}: ${got}. Try again to load it whole.`);
  }

  /** The file must stay as long as the first answer said. */
  #compare(size: number | null): void {
    this.#size ??= size;
    if ((size ?? this.#size) !== this.#size) throw changed(this.name);
  }

  /** At most `most` bytes, whatever the server sends. */
  async *#pieces(body: ReadableStream<Uint8Array>, most: number, signal: AbortSignal): Pieces {
    let left = most;
    try {
      for await (const piece of piecesOf(body)) {
        this.#traffic.receive(piece.length);
        yield piece.length > left ? piece.subarray(0, left) : piece;
        left -= piece.length;
        if (left <= 0) return;
      }
    } catch (error) {
      throw this.#interrupted(error, signal, 'Check the connection, then try again.');
    }
  }

  #interrupted(error: unknown, signal: AbortSignal, hint: string): unknown {
    if (signal.aborted) return signal.reason;
    return new EngineError('network', `${this.name}: could not be read. ${hint}`, { cause: error });
  }
}

/** From "bytes 0-99/1234"; servers elsewhere may hide the header from the page. */
function totalOf(contentRange: string | null): number | null {
  const total = contentRange?.match(/\/(\d+)$/)?.[1];
  return total === undefined ? null : Number(total);
}

/** The length that a server gives is that of the bytes it sends, so not the file's if it compresses them. */
function lengthOf(headers: Headers): number | null {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? null : Number(length);
}

/** What may help after a status that is no answer. */
function hintFor(status: number): string {
  if (PASSING.has(status)) return 'Try again in a moment.';
  if (status === 401 || status === 403) return 'The host does not give it to everyone: is the file public?';
  if (status === 404 || status === 410) return 'Check the address.';
  return 'Its host does not send it.';
}

/** The file is another one than before. */
export function changed(name: string): EngineError {
  const got = 'the file on the server is another one now; what was loaded of the earlier one stays';
  return new EngineError('changed', `${name}: the file has changed: ${got}. Open it again to load the new one.`);
}

/** Why a request may have got no answer: a browser does not tell. */
function advice(url: string): string {
  const { origin, protocol, host } = new URL(url);
  const own = typeof location === 'undefined' ? origin : location.origin;
  if (origin === own) return 'Check the connection, then try again.';
  if (own.startsWith('https:') && protocol === 'http:') {
    return 'A page over https cannot read from an http address: use an https one.';
  }
  return `Check the connection; or ${host} does not allow pages of other hosts to read it (CORS).`;
}
