// A model file on a server, read from what earlier visits have kept of it, and kept as it arrives.
import type { Keeping, KeepingOff } from '../api';
import { EngineError, isEngineFailure } from '../errors';
import { type Range, READ_THROUGH } from '../source/range';
import type { ByteSource, ByteStream, Pieces } from '../source/source';
import type { FileCache } from './file-cache';
import { confirm, differ } from './revalidate';

/** What the server sends for a range that ends at `until`. */
interface Answer {
  readonly stream: ByteStream;
  readonly until: number;
}

/** Lets the thread hear its messages: kept bytes come without a pause. */
function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

export class CachedSource implements ByteSource {
  readonly name: string;
  readonly #network: ByteSource;
  readonly #check: ByteSource;
  readonly #keeper: FileCache;
  #ready: Promise<void> | null = null;
  /** What is known of the file on this visit. */
  #size: number | null = null;
  #version: string | null = null;
  /** Whether the server has said on this visit that what is kept is what it has. */
  #checked = true;
  /** Whether the server has answered with the whole file when it was asked for a part. */
  #wholeOnly = false;

  /** `check` is asked once, about what is kept already: it should fail soon where there is no connection. */
  constructor(network: ByteSource, check: ByteSource, keeper: FileCache) {
    this.name = network.name;
    this.#network = network;
    this.#check = check;
    this.#keeper = keeper;
  }

  get keeping(): Keeping {
    const reason: KeepingOff | null = this.#keeper.off;
    return reason === null ? { state: 'kept', checked: this.#checked } : { state: 'off', reason };
  }

  /** The engine has read the header, and the file is this long: from now on, bytes are kept. */
  async accept(fileSize: number): Promise<void> {
    this.#size ??= fileSize;
    await this.#keeper.accept({ url: this.name, size: this.#size, version: this.#version });
  }

  /** The file is no model, or weights of it are not what they should be: nothing of it is kept. */
  async reject(): Promise<void> {
    await this.#keeper.reject();
  }

  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    this.#ready ??= this.#start(signal);
    await this.#ready;
    signal.throwIfAborted();
    const last = Math.min(end, this.#size ?? end);
    if (this.#missing(begin, last).length > 0) await this.#keeper.renew();
    const [missing] = this.#missing(begin, last);
    const needsNetwork = missing !== undefined && (missing.begin === begin || this.#wholeOnly);
    const answer = needsNetwork ? await this.#ask(begin, last, signal) : null;
    if (answer !== null && isWhole(answer.stream, begin)) return answer.stream;
    return {
      begin,
      fileSize: this.#size,
      version: this.#version,
      pieces: this.#pieces(begin, last, answer, signal),
    };
  }

  async #start(signal: AbortSignal): Promise<void> {
    const kept = await this.#keeper.open();
    if (kept === null) return;
    const answer = await confirm(this.#check, kept.identity, kept.ranges, signal);
    if (answer === 'changed') {
      await this.#keeper.startAnew();
      return;
    }
    this.#checked = answer === 'same';
    this.#size = kept.identity.size;
    this.#version = kept.identity.version;
  }

  #missing(begin: number, end: number): Range[] {
    return this.#keeper.missing({ begin, end });
  }

  /** Kept bytes and those of the server, in turn; `answer` is what the server sends from `begin` on. */
  async *#pieces(begin: number, end: number, answer: Answer | null, signal: AbortSignal): Pieces {
    let at = begin;
    let coming = answer;
    while (at < end) {
      signal.throwIfAborted();
      const kept = coming === null ? await this.#keeper.read(at, end) : null;
      if (kept !== null) {
        at += kept.length;
        yield kept;
        await nextTurn();
        continue;
      }
      coming ??= await this.#ask(at, end, signal);
      const { stream, until } = coming;
      coming = null;
      let offset = stream.begin;
      for await (const piece of stream.pieces) {
        const known = Math.max(0, at - offset);
        offset += piece.length;
        if (known >= piece.length) continue;
        at = offset;
        yield piece.subarray(known);
      }
      if (at < until) return; // The file ends here, or the server thinks so.
    }
  }

  /** Asks the server for what is missing from `begin` on, through kept bytes too few to be worth another request. */
  async #ask(begin: number, end: number, signal: AbortSignal): Promise<Answer> {
    let until = begin;
    for (const missing of this.#missing(begin, end)) {
      if (until > begin && missing.begin - until > READ_THROUGH) break;
      until = missing.end;
    }
    if (until === begin) until = end; // Kept a moment ago.
    return { stream: await this.#fetch(begin, until, signal), until };
  }

  /** The server's bytes from `begin` on, or from the file's beginning, kept as they pass. */
  async #fetch(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    try {
      const stream = await this.#network.open(begin, end, signal);
      this.#compare(stream);
      this.#wholeOnly ||= isWhole(stream, begin);
      return { ...stream, pieces: this.#watched(this.#keeper.keep(stream)) };
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** The file must be the one that is known. */
  #compare({ fileSize, version, pieces }: ByteStream): void {
    if (differ(fileSize, this.#size) || differ(version, this.#version)) {
      void pieces.return();
      const advice = 'the file on the server has changed since it was opened. Open it again.';
      throw new EngineError('changed', `${this.name}: ${advice}`);
    }
    this.#size ??= fileSize;
    this.#version ??= version;
    this.#checked ||= this.#version !== null && version === this.#version;
  }

  async *#watched(pieces: Pieces): Pieces {
    try {
      yield* pieces;
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #fail(error: unknown): Promise<never> {
    if (isEngineFailure(error) && error.code === 'changed') await this.#keeper.reject();
    throw error;
  }
}

/** Whether a source that was asked for bytes from `begin` on has sent the file from its beginning. */
const isWhole = ({ begin, whole = false }: ByteStream, asked: number): boolean => whole || begin !== asked;
