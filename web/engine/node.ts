// The same engine under Node, for tests and scripts: a model from a file or another source of bytes.
import { readFile } from 'node:fs/promises';
import type { LoadProgress } from './api';
import { ThreadEngine } from './instance';
import { directly, type Transport } from './loader/transport';
import { MemorySource } from './source/memory';
import type { ByteSource } from './source/source';

export async function openFile(path: string): Promise<ThreadEngine> {
  return openSource(new MemorySource(await readFile(path), path));
}

export function openSource(source: ByteSource, onProgress?: (progress: LoadProgress) => void): Promise<ThreadEngine> {
  return openTransport(directly(source), onProgress);
}

export function openTransport(
  transport: Transport,
  onProgress?: (progress: LoadProgress) => void,
): Promise<ThreadEngine> {
  // Node keeps running while an immediate call is due, and no longer.
  return ThreadEngine.open(transport, onProgress, {
    later: (run) => void setImmediate(run),
    close: () => undefined,
  });
}
