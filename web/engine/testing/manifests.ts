// For tests: manifests made by Node's SHA-256, as headflow shard makes them.
import { createHash } from 'node:crypto';
import type { Placed } from '../loader/integrity';
import type { WasmModule } from '../module';
import type { FilePart } from '../source/manifest';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Where the tensors of the file with this header lie. */
export function placesIn(module: WasmModule, header: Uint8Array): Placed[] {
  const reader = new module.HeaderReader(undefined);
  reader.push(header);
  return new module.Model(reader).tensors();
}

const partOf = (name: string, bytes: Uint8Array): FilePart => ({ name, size: bytes.length, sha256: sha256(bytes) });

/** A file's pieces of `size` bytes, by name. */
export function piecesOfFile(name: string, bytes: Uint8Array, size: number): Map<string, Uint8Array> {
  const pieces = new Map<string, Uint8Array>();
  for (let at = 0; at < bytes.length; at += size)
    pieces.set(`${name}-${pieces.size + 1}`, bytes.subarray(at, at + size));
  return pieces;
}

/** What a manifest says, to be changed and written as JSON. */
export function manifestOf(
  name: string,
  bytes: Uint8Array,
  headerSize: number,
  tensors: readonly Placed[],
  pieces: ReadonlyMap<string, Uint8Array> = new Map([[name, bytes]]),
) {
  const { sha256: header } = partOf('', bytes.subarray(0, headerSize));
  return {
    format: 'headflow-shards',
    version: 1,
    ...partOf(name, bytes),
    header: { size: headerSize, sha256: header },
    pieces: [...pieces].map(([piece, part]) => partOf(piece, part)),
    tensors: tensors.map((tensor) => partOf(tensor.name, bytes.subarray(tensor.offset, tensor.offset + tensor.size))),
  };
}
