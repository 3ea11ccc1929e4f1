// Reads a model's header in growing pieces, until the engine has all of it.
import type { LoadProgress } from '../api';
import type { WasmHeaderReader, WasmModel, WasmModule } from '../module';
import type { ByteSource, ByteStream, Pieces } from './source';

const FIRST_REQUEST = 256 * 1024;

export interface OpenedModel {
  readonly model: WasmModel;
  /** Tensor data that is still coming: the whole file where it can't be read in parts. */
  readonly rest: { readonly offset: number; readonly pieces: Pieces };
}

export async function openModel(
  module: WasmModule,
  source: ByteSource,
  signal: AbortSignal,
  onProgress: (progress: LoadProgress) => void,
): Promise<OpenedModel> {
  let reader: WasmHeaderReader | null = null;
  try {
    for (let asked = FIRST_REQUEST; ; asked *= 2) {
      const begin: number = reader?.position() ?? 0;
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
  { begin, pieces }: ByteStream,
  onProgress: (progress: LoadProgress) => void,
): Promise<OpenedModel | null> {
  let offset = begin;
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      const piece = next.value;
      const known = Math.max(0, reader.position() - offset);
      if (known < piece.length) reader.push(piece.subarray(known));
      onProgress({ phase: 'header', loaded: reader.position(), total: reader.position() + reader.needed() });
      if (reader.needed() === 0) {
        const model = new module.Model(reader);
        model.supply(offset, piece);
        return { model, rest: { offset: offset + piece.length, pieces } };
      }
      offset += piece.length;
    }
    return null;
  } catch (error) {
    await pieces.return();
    throw error;
  }
}
