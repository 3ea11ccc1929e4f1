// Reads a model's header in growing pieces, until the engine has all of it. GPT-2's has 1.8 MB, its vocabulary.
import type { LoadProgress } from '../api';
import { EngineError, isEngineFailure } from '../errors';
import type { WasmHeaderReader, WasmModel, WasmModule } from '../module';
import type { ByteSource, ByteStream, Pieces } from '../source/source';
import type { Integrity } from './integrity';

const STEP = 256 * 1024;
/** Requests double, up to the size of this vocabulary's header; beyond it, little more than the header is to come. */
const DOUBLED = 7 * STEP;
/** Codes of failures that have nothing to do with what the bytes are. */
const OF_THE_WAY = new Set([
  'network',
  'server',
  'http',
  'stalled',
  'short',
  'changed',
  'forbidden',
  'redirected',
  'no_ranges',
]);

/** Bytes that are still coming, from a file offset on. */
export interface Transfer {
  offset: number;
  readonly pieces: Pieces;
  /** All of the file's, where it can't be read in parts. */
  readonly whole: boolean;
}

export interface OpenedModel {
  readonly model: WasmModel;
  /** Null where no manifest says what the bytes should be. */
  readonly integrity: Integrity | null;
  readonly rest: Transfer;
  /** The file's first bytes: the header, and what came with the last of it. */
  readonly first: Uint8Array;
}

type Told = (progress: LoadProgress) => void;

export async function openModel(
  module: WasmModule,
  source: ByteSource,
  signal: AbortSignal,
  onProgress: Told,
): Promise<OpenedModel> {
  let reader: WasmHeaderReader | null = null;
  let unlabelled = false;
  const parts: Uint8Array[] = [];
  try {
    for (;;) {
      const begin: number = reader?.position() ?? 0;
      const asked: number = begin < DOUBLED ? begin + STEP : STEP;
      const end: number = begin + Math.max(asked, reader?.needed() ?? 0);
      const stream = await source.open(begin, end, signal);
      unlabelled ||= stream.fileSize === null && stream.whole !== true;
      try {
        reader ??= new module.HeaderReader(stream.fileSize ?? undefined);
        const opened = await pushUntilWhole(module, reader, stream, parts, onProgress);
        if (opened !== null) return opened;
      } catch (error) {
        await stream.pieces.return();
        throw error;
      }
      if (reader.position() < end) reader.finish(); // The file has ended: this throws what is missing.
    }
  } catch (error) {
    throw unlabelled && !signal.aborted ? withDoubt(error, source.name) : error;
  } finally {
    reader?.delete();
  }
}

/** Where a server does not say which bytes it has sent, they may be to blame, and not the file. */
function withDoubt(error: unknown, name: string): unknown {
  if (!isEngineFailure(error) || OF_THE_WAY.has(error.code)) return error;
  const doubt = 'Its server does not say which bytes it sends; they may be others than those that were asked for.';
  return new EngineError(error.code, `${name}: ${error.message} ${doubt}`, { cause: error });
}

/** Null where the stream ended before the header did. */
async function pushUntilWhole(
  module: WasmModule,
  reader: WasmHeaderReader,
  { begin, pieces, whole = false }: ByteStream,
  parts: Uint8Array[],
  onProgress: Told,
): Promise<OpenedModel | null> {
  let offset = begin;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const piece = next.value;
    const known = Math.max(0, reader.position() - offset);
    if (known < piece.length) {
      reader.push(piece.subarray(known));
      parts.push(piece.subarray(known));
    }
    const loaded = reader.position();
    onProgress({ phase: 'header', loaded, total: loaded + reader.needed(), trouble: null });
    if (reader.needed() === 0) {
      const model = new module.Model(reader);
      model.supply(offset, piece);
      const rest = { offset: offset + piece.length, pieces, whole };
      return { model, integrity: null, rest, first: joined(parts) };
    }
    offset += piece.length;
  }
  return null;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
