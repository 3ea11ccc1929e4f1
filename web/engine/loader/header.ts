// Reads a model's header in growing pieces, until the engine has all of it. GPT-2's has 1.8 MB, its vocabulary.
import type { LoadProgress } from '../api';
import type { WasmHeaderReader, WasmModel, WasmModule } from '../module';
import type { ByteSource, ByteStream, Pieces } from '../source/source';
import type { Integrity } from './integrity';

const STEP = 256 * 1024;
/** Requests double, up to the size of this vocabulary's header; beyond it, little more than the header is to come. */
const DOUBLED = 7 * STEP;

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
}

export async function openModel(
  module: WasmModule,
  source: ByteSource,
  signal: AbortSignal,
  onProgress: (progress: LoadProgress) => void,
): Promise<OpenedModel> {
  let reader: WasmHeaderReader | null = null;
  try {
    for (;;) {
      const begin: number = reader?.position() ?? 0;
      const asked: number = begin < DOUBLED ? begin + STEP : STEP;
      const end: number = begin + Math.max(asked, reader?.needed() ?? 0);
      const stream = await source.open(begin, end, signal);
      reader ??= new module.HeaderReader(stream.fileSize ?? undefined);
      const opened = await pushUntilWhole(module, reader, stream, onProgress);
      if (opened !== null) return opened;
      if (reader.position() < end) reader.finish(); // The file has ended: this throws what is missing.
    }
  } finally {
    reader?.delete();
  }
}

/** Null where the stream ended before the header did. */
async function pushUntilWhole(
  module: WasmModule,
  reader: WasmHeaderReader,
  { begin, pieces, whole = false }: ByteStream,
  onProgress: (progress: LoadProgress) => void,
): Promise<OpenedModel | null> {
  let offset = begin;
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      const piece = next.value;
      const known = Math.max(0, reader.position() - offset);
      if (known < piece.length) reader.push(piece.subarray(known));
      const loaded = reader.position();
      onProgress({ phase: 'header', loaded, total: loaded + reader.needed(), trouble: null });
      if (reader.needed() === 0) {
        const model = new module.Model(reader);
        model.supply(offset, piece);
        return { model, integrity: null, rest: { offset: offset + piece.length, pieces, whole } };
      }
      offset += piece.length;
    }
    return null;
  } catch (error) {
    await pieces.return();
    throw error;
  }
}
