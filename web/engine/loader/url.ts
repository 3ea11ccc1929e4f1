// A model file on a web server, read by HTTP ranges; where the server knows none, its answer is the whole file.
import { EngineError } from '../errors';
import { type ByteSource, type ByteStream, type Pieces, piecesOf } from './source';

export class UrlSource implements ByteSource {
  readonly name: string;

  constructor(url: string) {
    this.name = url;
  }

  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    const response = await this.#fetch(begin, end, signal);
    this.#check(response, begin);
    const pieces = response.body === null ? nothing() : this.#pieces(response.body, signal);
    const { headers, status } = response;
    const version = headers.get('etag') ?? headers.get('last-modified');
    if (status === 206) return { begin, fileSize: totalOf(headers.get('content-range')), version, pieces };
    return { begin: 0, fileSize: lengthOf(headers), version, pieces };
  }

  async #fetch(begin: number, end: number, signal: AbortSignal): Promise<Response> {
    try {
      return await fetch(this.name, { headers: { range: `bytes=${begin}-${end - 1}` }, signal });
    } catch (error) {
      throw this.#interrupted(error, signal);
    }
  }

  #check(response: Response, begin: number): void {
    if (response.status === 416) {
      throw new EngineError('truncated', `${this.name}: the file ends before byte ${begin}. Is the upload complete?`);
    }
    if (!response.ok) {
      const status = `${response.status} ${response.statusText}`.trim();
      throw new EngineError('http', `${this.name}: the server answered ${status}. Check the address.`);
    }
    if (response.headers.get('content-type')?.startsWith('text/html')) {
      throw new EngineError('http', `${this.name}: got a web page, expected a GGUF file. Check the address.`);
    }
  }

  async *#pieces(body: ReadableStream<Uint8Array>, signal: AbortSignal): Pieces {
    try {
      yield* piecesOf(body);
    } catch (error) {
      throw this.#interrupted(error, signal);
    }
  }

  #interrupted(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    return new EngineError('network', `${this.name}: could not be read. Check the connection, then try again.`, {
      cause: error,
    });
  }
}

async function* nothing(): Pieces {}

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
