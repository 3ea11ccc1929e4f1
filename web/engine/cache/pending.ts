// Bytes that have arrived and are not kept yet: pieces from several streams, gathered into runs.
import type { Run } from './entry';

/** A record this long is worth its entry, and is read and checked in an instant. */
const LONGEST = 1024 * 1024;

interface Gathered {
  readonly begin: number;
  end: number;
  readonly pieces: Uint8Array[];
}

export class Pending {
  #runs: Gathered[] = [];
  /** Of all that is pending. */
  size = 0;

  add(begin: number, piece: Uint8Array): void {
    this.size += piece.length;
    const run = this.#runs.find(({ end }) => end === begin);
    if (run !== undefined && run.end - run.begin + piece.length <= LONGEST) {
      run.pieces.push(piece);
      run.end += piece.length;
    } else this.#runs.push({ begin, end: begin + piece.length, pieces: [piece] });
  }

  /** All of it, which is pending no longer. */
  take(): Run[] {
    const runs = this.#runs.map(({ begin, end, pieces }) => ({ begin, bytes: joined(pieces, end - begin) }));
    this.clear();
    return runs;
  }

  clear(): void {
    this.#runs = [];
    this.size = 0;
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
