// A model file on a server, read from what earlier visits have kept of it, and kept as it arrives.
import type { Keeping, KeepingOff } from '../api';
import { type Range, READ_THROUGH } from '../source/range';
import { type ByteSource, type ByteStream, cancelling, type Pieces } from '../source/source';
import { changed } from '../source/url';
import type { Stretch } from '../source/version';
import type { FileCache } from './file-cache';
import { differ, revalidate } from './revalidate';

/** What the server sends for a range that ends at `until`. */
interface Answer {
  readonly stream: ByteStream;
  readonly until: number;
}

/** What holds the network's bytes to one version of the file. */
export interface Versions {
  readonly confirmed: boolean;
  expect(versions: readonly (string | null)[], stretches: readonly Stretch[]): void;
}

/** Bytes of an earlier visit that a new answer is compared with, where it has another validator. */
const COMPARED = 32 * 1024;

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
  readonly #cache: FileCache;
  readonly #versions: Versions | null;
  #ready: Promise<void> | null = null;
  /** What is known of the file on this visit. */
  #size: number | null = null;
  #version: string | null = null;
  /** Whether the server has said on this visit that what is kept is what it has. */
  #checked = true;
  #isKept = false;
  /** Whether the server has answered with the whole file when it was asked for a part. */
  #wholeOnly = false;

  /**
   * `check` is asked once, about what is kept already: it should fail soon where there is no connection. `versions`: what
   * looks after the network's validators, where no hashes do.
   */
  constructor(network: ByteSource, check: ByteSource, cache: FileCache, versions: Versions | null = null) {
    this.name = network.name;
    this.#network = network;
    this.#check = check;
    this.#cache = cache;
    this.#versions = versions;
  }

  get keeping(): Keeping {
    const reason: KeepingOff | null = this.#cache.off;
    if (reason !== null) return { state: 'off', reason };
    if (!this.#cache.written) return { state: 'writing' };
    return { state: 'kept', checked: this.#checked && this.#versions?.confirmed !== false };
  }

  /** The engine has read the header, and the file is this long: from now on, bytes are kept. */
  async accept(fileSize: number): Promise<void> {
    this.#size ??= fileSize;
    await this.#cache.accept({ url: this.name, size: this.#size, version: this.#version });
  }

  /** The file is no model, or weights of it are not what they should be: nothing of it is kept. */
  async reject(): Promise<void> {
    await this.#cache.reject();
  }

  /** Whether something is kept of the file; its server, asked once, may have said that it is of the present version. */
  async isKnown(signal: AbortSignal): Promise<boolean> {
    this.#ready ??= this.#start(signal);
    await this.#ready;
    return this.#isKept;
  }

  /** What is kept is of this version: false where it is of another one. */
  confirm(version: string): boolean {
    if (differ(this.#version, version)) return false;
    this.#checked = true;
    return true;
  }

  /**
   * Brings what is not kept yet of the whole file. Resolves to whether all of it is kept: then the model opens without
   * its server. Rejects with what the network failed with.
   */
  async keepWhole(fileSize: number, signal: AbortSignal): Promise<boolean> {
    await this.#cache.settled();
    if (this.#cache.off === null) {
      for (const { begin, end } of this.#missing(0, fileSize)) {
        const { pieces } = await this.open(begin, end, signal);
        for await (const _ of pieces) signal.throwIfAborted();
      }
      await this.#cache.settled();
    }
    return this.#cache.off === null && this.#missing(0, fileSize).length === 0;
  }

  async open(begin: number, end: number, signal: AbortSignal): Promise<ByteStream> {
    this.#ready ??= this.#start(signal);
    await this.#ready;
    signal.throwIfAborted();
    const last = Math.min(end, this.#size ?? end);
    if (this.#missing(begin, last).length > 0) await this.#cache.renew();
    const [missing] = this.#missing(begin, last);
    const needsNetwork = missing !== undefined && (missing.begin === begin || this.#wholeOnly);
    const answer = needsNetwork ? await this.#ask(begin, last, signal) : null;
    if (answer !== null && isWhole(answer.stream, begin)) return answer.stream;
    return {
      begin,
      fileSize: this.#size,
      version: this.#version,
      pieces: cancelling(this.#pieces(begin, last, answer, signal), () => answer?.stream.pieces.return()),
    };
  }

  async #start(signal: AbortSignal): Promise<void> {
    const kept = await this.#cache.open();
    if (kept === null) return;
    const { identity, ranges } = kept;
    const answer = await revalidate(this.#check, identity, ranges, signal);
    if (answer.outcome === 'changed') {
      await this.#cache.startAnew();
      return;
    }
    this.#isKept = true;
    this.#checked = answer.outcome === 'same';
    this.#size = identity.size;
    this.#version = identity.version;
    const { begin, end } = ranges.last(COMPARED);
    const bytes = await ranges.read(begin, end);
    const answered = answer.outcome === 'same' ? answer.version : null;
    this.#versions?.expect([identity.version, answered], bytes === null ? [] : [{ begin, bytes }]);
  }

  #missing(begin: number, end: number): Range[] {
    return this.#cache.missing({ begin, end });
  }

  /** Kept bytes and those of the server, in turn; `answer` is what the server sends from `begin` on. */
  async *#pieces(begin: number, end: number, answer: Answer | null, signal: AbortSignal): Pieces {
    let at = begin;
    let coming = answer;
    while (at < end) {
      signal.throwIfAborted();
      const kept = coming === null ? await this.#cache.read(at, end) : null;
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
    const stream = await this.#network.open(begin, end, signal);
    try {
      this.#compare(stream);
    } catch (error) {
      await stream.pieces.return();
      throw error;
    }
    this.#wholeOnly ||= isWhole(stream, begin);
    return { ...stream, pieces: this.#cache.keep(stream) };
  }

  /** The file must be the one that is known. What is kept of that one stays. */
  #compare({ fileSize, version }: ByteStream): void {
    if (differ(fileSize, this.#size) || differ(version, this.#version)) throw changed(this.name);
    this.#size ??= fileSize;
    this.#version ??= version;
    this.#checked ||= this.#version !== null && version === this.#version;
  }
}

/** Whether a source that was asked for bytes from `begin` on has sent the file from its beginning. */
const isWhole = ({ begin, whole = false }: ByteStream, asked: number): boolean => whole || begin !== asked;
