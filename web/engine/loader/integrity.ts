// Compares what arrives of a model with the SHA-256 of its manifest. The last bytes of a tensor are given to the engine
// only once the tensor's hash has been found right; rows of an embedding are in use before the rest of it is there.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { EngineError } from '../errors';
import type { Manifest } from '../source/manifest';
import type { Range } from '../source/range';
import { RangeSet } from '../source/range-set';

/** What is needed of the engine's model. */
export interface Weights {
  supply(offset: number, bytes: Uint8Array): void;
  readBytes(offset: number, length: number): Uint8Array;
  discard(begin: number, end: number): void;
}

/** A tensor that the model uses, and its bytes in the file. */
export interface Placed {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

/** Hashed at once: a few milliseconds of work. */
const SLICE = 128 * 1024;
/** Milliseconds of hashing after which the thread hears its messages. */
const TURN = 30;

/** Refuses a header that is not the manifest's. `name`: the file's, for the message. */
export function checkHeader(bytes: Uint8Array, { header, name }: Manifest): void {
  compare(`header of ${name}`, bytesToHex(sha256(bytes)), header.sha256);
}

function compare(what: string, got: string, expected: string): void {
  if (got === expected) return;
  const advice = 'The copy is damaged or another version: load it again.';
  throw new EngineError('corrupt', `${what}: SHA-256 is ${got}, expected ${expected}. ${advice}`);
}

/** Bytes with a hash of their own, hashed from their first on, as far as they have arrived. */
class Part {
  readonly range: Range;
  readonly #what: string;
  readonly #expected: string;
  #hash = sha256.create();
  /** The first byte that is not hashed yet. */
  at: number;
  verified: boolean | null = null;

  constructor(range: Range, what: string, expected: string) {
    this.range = range;
    this.at = range.begin;
    this.#what = what;
    this.#expected = expected;
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.at += bytes.length;
  }

  /** Throws where the hash of all its bytes is wrong. */
  finish(): void {
    this.verified = false;
    compare(this.#what, bytesToHex(this.#hash.digest()), this.#expected);
    this.verified = true;
  }

  /** As if nothing had come; that it was wrong stays known until it is right. */
  restart(): void {
    this.#hash = sha256.create();
    this.at = this.range.begin;
    if (this.verified) this.verified = null;
  }
}

interface Held {
  readonly begin: number;
  readonly bytes: Uint8Array;
}

export class Integrity {
  readonly #weights: Weights;
  readonly #nextTurn: () => Promise<void>;
  readonly #tensors = new Map<string, Part>();
  readonly #parts: readonly Part[];
  readonly #placed: readonly Placed[];
  readonly #headerSize: number;
  readonly #arrived = new RangeSet();
  /** Bytes that pieces have outside header and tensors. The engine does not keep them. */
  readonly #gaps: readonly Range[];
  /** The header, where a piece needs it, and what has arrived of the gaps. */
  #held: Held[] = [];
  #last: Promise<void> = Promise.resolve();
  #turnBegan = 0;

  /**
   * `header`: the file's first bytes, which have been checked. `nextTurn` lets the thread hear its messages.
   * Throws an EngineError (malformed) where the manifest does not know a tensor that the model has.
   */
  constructor(
    manifest: Manifest,
    header: Uint8Array,
    tensors: readonly Placed[],
    weights: Weights,
    nextTurn: () => Promise<void>,
  ) {
    this.#weights = weights;
    this.#nextTurn = nextTurn;
    this.#placed = [...tensors].sort((a, b) => a.offset - b.offset);
    for (const tensor of this.#placed) this.#tensors.set(tensor.name, tensorPart(tensor, manifest));
    this.#headerSize = header.length;
    this.#gaps = gapsOf(this.#placed, { begin: header.length, end: manifest.size });
    const pieces = unevenPieces(manifest, this.#gaps);
    this.#parts = [...this.#tensors.values(), ...pieces];
    if (pieces.length > 0) this.#held.push({ begin: 0, bytes: header });
    this.#arrived.add({ begin: 0, end: header.length });
  }

  /** Whether a tensor has the manifest's hash; null while it is not whole. */
  verified(tensor: string): boolean | null {
    return this.#tensors.get(tensor)?.verified ?? null;
  }

  /**
   * Gives bytes to the engine, once every part that they make whole has the right hash; what came before is not given
   * again. Rejects with an EngineError (corrupt, or the engine's own): then none of these bytes count as arrived, nor
   * does anything of a part that is wrong.
   */
  supply(offset: number, bytes: Uint8Array): Promise<void> {
    const supplied = this.#last.then(() => this.#supply(offset, bytes));
    this.#last = supplied.catch(() => undefined);
    return supplied;
  }

  /** Takes over what the engine was given before there was a manifest. Rejects as `supply` does. */
  takeOver(ranges: readonly Range[]): Promise<void> {
    const taken = this.#last.then(async () => {
      for (const range of ranges) {
        for (const { offset, size } of this.#placed) {
          this.#arrived.add({ begin: Math.max(range.begin, offset), end: Math.min(range.end, offset + size) });
        }
      }
      for (const part of this.#parts) await this.#hash(part, Number.POSITIVE_INFINITY, new Uint8Array(0));
    });
    this.#last = taken.catch(() => undefined);
    return taken;
  }

  async #supply(offset: number, bytes: Uint8Array): Promise<void> {
    for (const { begin, end } of this.#arrived.missing({ begin: offset, end: offset + bytes.length })) {
      const fresh = bytes.subarray(begin - offset, end - offset);
      this.#arrived.add({ begin, end });
      try {
        for (const part of this.#parts) await this.#hash(part, begin, fresh);
        this.#weights.supply(begin, fresh);
        this.#hold(begin, fresh);
      } catch (error) {
        this.#forget({ begin, end });
        throw error;
      }
    }
  }

  /** Hashes what has arrived of a part, `fresh` (from file offset `begin` on) included. */
  async #hash(part: Part, begin: number, fresh: Uint8Array): Promise<void> {
    if (part.at >= part.range.end || part.at < part.range.begin) return;
    const arrived = Math.min(part.range.end, this.#arrived.endFrom(part.at));
    while (part.at < arrived) {
      await this.#pause();
      part.update(this.#bytes(part.at, Math.min(arrived, part.at + SLICE), begin, fresh));
    }
    if (part.at < part.range.end) return;
    try {
      part.finish();
    } catch (error) {
      this.#forget(part.range);
      throw error;
    }
  }

  /** Bytes from `at` on, at most up to `end`: of those at hand, of the engine, or held back here. */
  #bytes(at: number, end: number, begin: number, fresh: Uint8Array): Uint8Array {
    if (at >= begin && at < begin + fresh.length) return fresh.subarray(at - begin, end - begin);
    const before = at < begin ? Math.min(end, begin) : end;
    const tensor = this.#placed.find(({ offset, size }) => at >= offset && at < offset + size);
    if (tensor !== undefined) return this.#weights.readBytes(at, Math.min(before, tensor.offset + tensor.size) - at);
    const held = this.#held.find((one) => at >= one.begin && at < one.begin + one.bytes.length);
    if (held === undefined) throw new Error(`byte ${at} has not arrived`);
    return held.bytes.subarray(at - held.begin, before - held.begin);
  }

  #hold(begin: number, bytes: Uint8Array): void {
    for (const gap of this.#gaps) {
      const from = Math.max(gap.begin, begin);
      const to = Math.min(gap.end, begin + bytes.length);
      if (from < to) this.#held.push({ begin: from, bytes: bytes.slice(from - begin, to - begin) });
    }
  }

  /** All but the header, which has been checked. */
  #forget({ begin, end }: Range): void {
    const range = { begin: Math.max(begin, this.#headerSize), end };
    this.#weights.discard(range.begin, range.end);
    this.#arrived.remove(range);
    this.#held = this.#held.flatMap((held) => without(held, range));
    for (const part of this.#parts) {
      if (part.range.begin < range.end && part.at > range.begin) part.restart();
    }
  }

  async #pause(): Promise<void> {
    const now = performance.now();
    if (now - this.#turnBegan < TURN) return;
    await this.#nextTurn();
    this.#turnBegan = performance.now();
  }
}

function tensorPart({ name, offset, size }: Placed, manifest: Manifest): Part {
  const known = manifest.tensors.find((tensor) => tensor.name === name);
  if (known?.size !== size) {
    const got = known === undefined ? 'nothing' : `${known.size} bytes`;
    const expected = `expected ${size} bytes, as the file's header says. Make the manifest anew.`;
    throw new EngineError('malformed', `manifest of ${manifest.name}, tensor ${name}: got ${got}, ${expected}`);
  }
  return new Part({ begin: offset, end: offset + size }, `tensor ${name} of ${manifest.name}`, known.sha256);
}

/** The parts of a range that lie in no tensor. */
function gapsOf(placed: readonly Placed[], range: Range): Range[] {
  const inside = new RangeSet();
  for (const { offset, size } of placed) inside.add({ begin: offset, end: offset + size });
  return inside.missing(range);
}

/** The pieces with bytes in gaps. Any other is right if the header and its tensors are. */
function unevenPieces({ name, pieces }: Manifest, gaps: readonly Range[]): Part[] {
  const parts: Part[] = [];
  let begin = 0;
  for (const { name: piece, size, sha256: expected } of pieces) {
    const end = begin + size;
    const isUneven = gaps.some((gap) => gap.begin < end && gap.end > begin);
    if (isUneven) parts.push(new Part({ begin, end }, piece === name ? name : `${piece} of ${name}`, expected));
    begin = end;
  }
  return parts;
}

function without({ begin, bytes }: Held, range: Range): Held[] {
  const before = bytes.subarray(0, Math.max(0, range.begin - begin));
  const behind = Math.min(bytes.length, Math.max(0, range.end - begin));
  return [
    { begin, bytes: before },
    { begin: begin + behind, bytes: bytes.subarray(behind) },
  ].filter((part) => part.bytes.length > 0);
}
