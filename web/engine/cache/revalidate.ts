// Asks the server once whether a file is still the one that is kept.
import { isEngineFailure } from '../errors';
import type { Range } from '../source/range';
import type { ByteSource, ByteStream } from '../source/source';
import type { CachedRanges } from './cached-ranges';
import type { Identity } from './entry';

/** Few enough for a second visit; weights, so that another model of the same shape differs in them. */
const COMPARED = 32 * 1024;
/** Where the server gives another validator to these bytes, so many more stretches are compared. */
const MORE = 3;
/** Who has the model already should not wait longer for a server that doesn't answer. */
const PATIENCE = 3000;

/** `version`: the server's, which may differ though the bytes that were compared are the same. */
export type Revalidation =
  | { readonly outcome: 'same'; readonly version: string | null }
  | { readonly outcome: 'changed' | 'unreachable' };

/** What two answers say of the same thing: different only where both say something. */
export const differ = <T>(a: T | null, b: T | null): boolean => a !== null && b !== null && a !== b;

/** Rejects only with the signal's reason. */
export async function revalidate(
  source: ByteSource,
  identity: Identity,
  ranges: CachedRanges,
  signal: AbortSignal,
): Promise<Revalidation> {
  if (globalThis.navigator?.onLine === false) return { outcome: 'unreachable' };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
  const ask = async ({ begin, end }: Range) => compare(await source.open(begin, end, limited), identity, ranges);
  try {
    const answer = await within(ask(ranges.last(COMPARED)), limited);
    if (answer.outcome !== 'same' || !differ(answer.version, identity.version)) return answer;
    for (const sample of ranges.samples(MORE, COMPARED)) {
      const { outcome } = await within(ask(sample), limited);
      if (outcome !== 'same') return { outcome };
    }
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    // The server has the file, but not these bytes of it.
    const shorter = isEngineFailure(error) && error.code === 'truncated';
    return { outcome: shorter ? 'changed' : 'unreachable' };
  }
}

/** A source that is shared, as a manifest's is, may not end with the signal. */
function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

async function compare(stream: ByteStream, identity: Identity, ranges: CachedRanges): Promise<Revalidation> {
  const { fileSize, pieces, version } = stream;
  try {
    if (differ(fileSize, identity.size)) return { outcome: 'changed' };
    const compared = await comparedBytes(stream, ranges);
    if (compared === null) return { outcome: 'changed' };
    if (compared > 0) return { outcome: 'same', version };
    if (differ(version, identity.version)) return { outcome: 'changed' };
    return version === null ? { outcome: 'unreachable' } : { outcome: 'same', version };
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
