// What a request gets: status, headers and the part of the file, before anything is sent.

const FURTHER = 64;
const DATE = 'Mon, 01 Jan 2024 00:00:00 GMT';

/** [begin, end) of a Range header within a file, null for none or one of a kind that is not understood. */
export function rangeOf(header, size) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined || (first === '' && last === '')) return null;
  if (first === '') return { begin: Math.max(0, size - Number(last)), end: size };
  return { begin: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) };
}

const further = ({ begin, end }, size) => ({
  begin: Math.min(begin + FURTHER, size - 1),
  end: Math.min(end + FURTHER, size),
});

/** Headers of the answer, whatever its status is. */
function headersOf(answer, content, type) {
  const { etag = content?.etag, lastModified = DATE, cors = null } = answer;
  return {
    'cache-control': 'public, max-age=0',
    'accept-ranges': answer.ranges === 'none' || answer.gzip === 'whole' ? null : 'bytes',
    'content-type': answer.type ?? type,
    etag: etag ?? null,
    'last-modified': content ? lastModified : null,
    'access-control-allow-origin': cors === null ? null : '*',
    'access-control-expose-headers': cors === 'exposed' ? 'etag, content-range, accept-ranges, content-encoding' : null,
    ...answer.headers,
  };
}

const isSame = (request, headers) => {
  const tags = request['if-none-match'];
  if (tags !== undefined) return headers.etag !== null && tags.split(/, */).includes(headers.etag);
  return headers['last-modified'] !== null && request['if-modified-since'] === headers['last-modified'];
};

const validatesRange = (request, headers) =>
  request['if-range'] === undefined || [headers.etag, headers['last-modified']].includes(request['if-range']);

/** A preflight of another origin's page. */
function preflight(answer) {
  const allowed = answer.cors && answer.preflight !== false;
  const headers = {
    'access-control-allow-origin': answer.cors ? '*' : null,
    'access-control-allow-headers': allowed ? '*' : null,
  };
  return { status: allowed ? 204 : 405, headers, part: null };
}

/**
 * @returns {{ status: number, headers: Record<string, string | number | null>, part: { begin: number, end: number } | null, text?: string }}
 * `part` is the part of the content that is the body.
 */
export function planAnswer(method, request, answer, content, type) {
  if (method === 'OPTIONS') return preflight(answer);
  if (answer.redirect !== undefined) {
    return { status: 302, headers: { ...headersOf(answer, null, null), location: answer.redirect }, part: null };
  }
  const status = answer.status ?? (content === null ? 404 : null);
  if (status !== null) {
    const headers = headersOf(answer, null, 'text/plain');
    return { status, headers, part: null, text: `status ${status}\n` };
  }
  const headers = headersOf(answer, content, type);
  if (isSame(request, headers)) return { status: 304, headers, part: null };
  const ignoresRanges = answer.ranges === 'none' || answer.gzip === 'whole' || !validatesRange(request, headers);
  const range = ignoresRanges ? null : rangeOf(request.range, content.size);
  const { plain, part } = range === null ? wholeOf(content) : partOf(range, answer.ranges, content.size);
  if (answer.gzip) return { ...plain, headers: { ...headers, ...plain.headers, ...GZIP }, part };
  return { ...plain, headers: { ...headers, ...plain.headers, ...answer.headers }, part };
}

const GZIP = { 'content-encoding': 'gzip', 'content-length': null };

const wholeOf = ({ size }) => ({
  plain: { status: 200, headers: { 'content-length': size } },
  part: { begin: 0, end: size },
});

function partOf(range, kind, size) {
  if (range.begin >= size || range.end <= range.begin) {
    return { plain: { status: 416, headers: { 'content-range': `bytes */${size}` } }, part: null };
  }
  const long = { begin: range.begin, end: size };
  const part = kind === 'other' ? further(range, size) : kind === 'longer' ? long : range;
  const label = kind === 'mislabelled' ? further(range, size) : part;
  const text = `bytes ${label.begin}-${label.end - 1}/${size}`;
  return {
    plain: {
      status: 206,
      headers: { 'content-length': part.end - part.begin, 'content-range': kind === 'unlabelled' ? null : text },
    },
    part,
  };
}
