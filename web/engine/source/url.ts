// A model file on a web server, read by HTTP ranges; where the server knows none, its answer is the whole file.
import { EngineError } from '../errors';
import { forbidden } from '../policy';
import { type ByteSource, type ByteStream, nothing, type Pieces, piecesOf } from './source';
import { Traffic } from './traffic';

/** Answers of a server that may be another one in a moment. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

export class UrlSource implements ByteSource {
  readonly name: string;
  readonly #traffic: Traffic;
  /** What the first answer said of the file. */
  #size: number | null = null;
  #version: string | null = null;
  #hasRanges = false;

  constructor(url: string, traffic = new Traffic()) {
    this.name = url;
    this.#traffic = traffic;
  }

  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    const response = await this.#fetch(begin, end, signal);
    this.#check(response, begin);
    const { body, headers, status } = response;
    const whole = status !== 206;
    this.#hasRanges ||= !whole;
    const fileSize = whole ? lengthOf(headers) : totalOf(headers.get('content-range'));
    const version = headers.get('etag') ?? headers.get('last-modified');
    try {
      this.#compare(fileSize, version);
    } catch (error) {
      body?.cancel().catch(() => undefined);
      throw error;
    }
    const pieces =
      body === null ? nothing() : this.#pieces(body, whole ? Number.POSITIVE_INFINITY : end - begin, signal);
    return whole ? { begin: 0, fileSize, version, pieces, whole } : { begin, fileSize, version, pieces };
  }

  async #fetch(begin: number, end: number, signal: AbortSignal): Promise<Response> {
    this.#traffic.request();
    try {
      // Browsers' own caches of parts of a file make requests wait for each other.
      return await fetch(this.name, { headers: { range: `bytes=${begin}-${end - 1}` }, cache: 'no-store', signal });
    } catch (error) {
      const obstacle = signal.aborted ? null : await forbidden('connect-src', this.name);
      const unpacked = signal.aborted || obstacle !== null ? null : await this.#unpacked(signal);
      if (unpacked !== null) return unpacked;
      if (obstacle === null) throw this.#interrupted(error, signal, advice(this.name));
      const hint = 'Download the file, then open it from your disk.';
      throw new EngineError('forbidden', `${this.name}: could not be read: ${obstacle}. ${hint}`, { cause: error });
    }
  }

  /** Chromium refuses an answer that is compressed though a range was asked for. The whole file it unpacks. */
  async #unpacked(signal: AbortSignal): Promise<Response | null> {
    if (this.#hasRanges) return null;
    try {
      this.#traffic.request();
      const response = await fetch(this.name, { cache: 'no-store', signal });
      if (response.ok && response.headers.has('content-encoding')) return response;
      await response.body?.cancel();
    } catch {
      // The failure before this one is told.
    }
    return null;
  }

  #check(response: Response, begin: number): void {
    const { headers, status } = response;
    if (status === 416) {
      throw new EngineError('truncated', `${this.name}: the file ends before byte ${begin}. Is the upload complete?`);
    }
    if (!response.ok) {
      const said = `${status} ${response.statusText}`.trim();
      const passing = PASSING.has(status);
      const hint = passing ? 'Try again in a moment.' : 'Check the address.';
      throw new EngineError(passing ? 'server' : 'http', `${this.name}: the server answered ${said}. ${hint}`);
    }
    if (headers.get('content-type')?.startsWith('text/html')) {
      throw new EngineError('http', `${this.name}: got a web page, expected a GGUF file. Check the address.`);
    }
    if (status !== 206) return;
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

  /** The file must stay the one that the first answer was of. */
  #compare(size: number | null, version: string | null): void {
    this.#size ??= size;
    this.#version ??= version;
    if ((size ?? this.#size) === this.#size && (version ?? this.#version) === this.#version) return;
    const changed = 'the file on the server has changed since it was opened. Open it again.';
    throw new EngineError('changed', `${this.name}: ${changed}`);
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
