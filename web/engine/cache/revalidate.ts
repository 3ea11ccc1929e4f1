// Asks the server once whether a file is still the one that is kept.
import { isEngineFailure } from '../errors';
import type { ByteSource, ByteStream } from '../source/source';
import type { CachedRanges } from './cached-ranges';
import type { Identity } from './entry';

/** Few enough for a second visit; weights, so that another model of the same shape differs in them. */
const COMPARED = 32 * 1024;
/** Who has the model already should not wait longer for a server that doesn't answer. */
const PATIENCE = 5000;

export type Revalidation = 'same' | 'changed' | 'unreachable';

/** What two answers say of the same thing: different only where both say something. */
export const differ = <T>(a: T | null, b: T | null): boolean => a !== null && b !== null && a !== b;

/** Rejects only with the signal's reason. */
export async function confirm(
  source: ByteSource,
  identity: Identity,
  ranges: CachedRanges,
  signal: AbortSignal,
): Promise<Revalidation> {
  if (globalThis.navigator?.onLine === false) return 'unreachable';
  const limited = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
  try {
    const { begin, end } = ranges.last(COMPARED);
    return await compare(await source.open(begin, end, limited), identity, ranges);
  } catch (error) {
    signal.throwIfAborted();
    // The server has the file, but not these bytes of it.
    return isEngineFailure(error) && error.code === 'truncated' ? 'changed' : 'unreachable';
  }
}

async function compare(stream: ByteStream, { size, version }: Identity, ranges: CachedRanges): Promise<Revalidation> {
  const { pieces } = stream;
  try {
    if (differ(stream.fileSize, size) || differ(stream.version, version)) return 'changed';
    const compared = await comparedBytes(stream, ranges);
    if (compared === null) return 'changed';
    return compared > 0 || (version !== null && stream.version === version) ? 'same' : 'unreachable';
  } finally {
    await pieces.return();
  }
}

/** How many of the first bytes of a stream are those that are kept; null where one isn't. */
async function comparedBytes({ begin, pieces }: ByteStream, ranges: CachedRanges): Promise<number | null> {
  let compared = 0;
  for (let next = await pieces.next(); !next.done && compared < COMPARED; next = await pieces.next()) {
    const piece = next.value.subarray(0, COMPARED - compared);
    for (let at = 0; at < piece.length; ) {
      const kept = await ranges.read(begin + compared, begin + compared + piece.length - at);
      if (kept === null) return compared;
      if (kept.some((byte, i) => byte !== piece[at + i])) return null;
      at += kept.length;
      compared += kept.length;
    }
  }
  return compared;
}
