// Reads a model's header where a manifest says its size and hash: in one request, and parsed only once it is right.
import type { LoadProgress } from '../api';
import { EngineError } from '../errors';
import type { WasmModel, WasmModule } from '../module';
import type { Manifest } from '../source/manifest';
import type { ByteSource, Pieces } from '../source/source';
import { joined, type OpenedModel } from './header';
import { checkHeader, Integrity } from './integrity';

/** As openModel; `nextTurn` lets the thread hear its messages between slices of hashing. */
export async function openVerified(
  module: WasmModule,
  source: ByteSource,
  manifest: Manifest,
  signal: AbortSignal,
  onProgress: (progress: LoadProgress) => void,
  nextTurn: () => Promise<void>,
): Promise<OpenedModel> {
  const { size } = manifest.header;
  const { pieces, whole = false } = await source.open(0, size, signal);
  try {
    const onBytes = (loaded: number) => onProgress({ phase: 'header', loaded, total: size, trouble: null });
    const bytes = await atLeast(size, pieces, source.name, onBytes);
    const header = bytes.slice(0, size);
    checkHeader(header, manifest);
    const model = modelOf(module, header, manifest);
    const integrity = new Integrity(manifest, header, model.tensors(), model, nextTurn);
    await integrity.supply(size, bytes.subarray(size));
    return { model, integrity, rest: { offset: bytes.length, pieces, whole }, first: header };
  } catch (error) {
    await pieces.return();
    throw error;
  }
}

function modelOf(module: WasmModule, header: Uint8Array, manifest: Manifest): WasmModel {
  const reader = new module.HeaderReader(manifest.size);
  try {
    reader.push(header);
    return new module.Model(reader);
  } finally {
    reader.delete();
  }
}

/** The first `size` bytes, and those that came with the last of them. */
async function atLeast(size: number, pieces: Pieces, name: string, onBytes: (loaded: number) => void) {
  const parts: Uint8Array[] = [];
  let loaded = 0;
  while (loaded < size) {
    const { done, value } = await pieces.next();
    if (done) {
      const message = `${name}: the file ends at byte ${loaded}, in its header of ${size} bytes. Is it complete?`;
      throw new EngineError('truncated', message);
    }
    parts.push(value);
    loaded += value.length;
    onBytes(Math.min(loaded, size));
  }
  return joined(parts);
}
