// What a file holds, read by pieces, with the changes that a route asks for.
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { extname } from 'node:path';

const PIECE = 64 * 1024;
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

export const typeOf = (path) => TYPES[extname(path)] ?? 'application/octet-stream';

/** The size and the bytes of what `answer` names; null where no such file is. */
export function contentOf(answer) {
  const stored = answer.bytes ? inMemory(answer.bytes) : onDisk(answer.file);
  if (stored === null) return null;
  const { size = stored.size, zerosFrom = size } = answer;
  const tag = [stored.tag, size, zerosFrom].join('-');
  return { size, etag: `"${createHash('sha256').update(tag).digest('hex').slice(0, 16)}"`, pieces };

  /** Bytes [begin, end) in pieces of at most `longest`. */
  async function* pieces(begin, end, longest = PIECE) {
    let at = begin;
    for await (const piece of stored.pieces(begin, end, Math.max(1, Math.min(PIECE, Math.floor(longest))))) {
      yield at + piece.length <= zerosFrom ? piece : Buffer.from(piece).fill(0, Math.max(0, zerosFrom - at));
      at += piece.length;
    }
  }
}

function inMemory(bytes) {
  return {
    size: bytes.length,
    tag: createHash('sha256').update(bytes).digest('hex'),
    async *pieces(begin, end, longest) {
      for (let at = begin; at < end; at += longest) yield bytes.subarray(at, Math.min(end, at + longest));
    },
  };
}

function onDisk(path) {
  const status = path && statSync(path, { throwIfNoEntry: false });
  if (!status?.isFile()) return null;
  return {
    size: status.size,
    tag: `${path} ${status.mtimeMs}`,
    async *pieces(begin, end, longest) {
      if (begin < end) yield* createReadStream(path, { start: begin, end: end - 1, highWaterMark: longest });
    },
  };
}
