// Faults of servers and of the browser's storage: how the test server answers for a model, for the list of models and for
// a manifest, and what is put before the worker's script.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { EMPTY, lfsPointer, WEB_PAGE } from '../../web/test/server/stand-ins.mjs';
import { mini } from './command.mjs';

const bytes = readFileSync(mini);
const text = (string) => new TextEncoder().encode(string);
const never = { latency: Number.POSITIVE_INFINITY };
const flipped = Buffer.from(bytes);
flipped.fill(255, flipped.length - 64);

/**
 * `said`: what the page must say. Without it, it must give the right numbers, saying nothing or something. `path`: of what
 * the route is, a model of this name where there is none.
 */
export const SERVER_FAULTS = [
  { what: 'a missing file', route: { status: 404 }, said: /answered 404/ },
  { what: 'a forbidden file', route: { status: 403 }, said: /403/ },
  {
    what: 'a web page with status 200',
    route: { bytes: WEB_PAGE, type: 'text/html', ranges: 'none' },
    said: /web page/,
  },
  { what: 'a web page that passes for data', route: { bytes: WEB_PAGE, ranges: 'none' }, said: /web page/ },
  { what: 'a Git LFS pointer', route: { bytes: lfsPointer(bytes.length) }, said: /Git LFS/ },
  { what: 'a gzip file', route: { bytes: gzipSync(bytes) }, said: /gzip/ },
  { what: 'nothing', route: { bytes: EMPTY, ranges: 'none' }, said: /ends|empty/ },
  { what: 'another range', route: { file: mini, ranges: 'other' }, said: /byte ranges are wrong/ },
  { what: 'a range with the label of another', route: { file: mini, ranges: 'mislabelled' }, said: /ranges are wrong/ },
  { what: 'a file that ends within its header', route: { file: mini, size: 2000 }, said: /cut short/ },
  {
    what: 'a file that ends within its weights',
    route: { file: mini, size: bytes.length - 5000 },
    said: /cut short|ends/,
  },
  { what: 'a tail of zeros', route: { file: mini, zerosFrom: bytes.length - 40_000 }, said: /0/ },
  { what: 'weights that are no numbers', route: { bytes: flipped }, said: /NaN|not finite|no number/i },
  { what: 'no ranges', route: { file: mini, ranges: 'none' } },
  { what: 'compression on the fly', route: { file: mini, gzip: 'whole' } },
  { what: 'no Content-Range', route: { file: mini, ranges: 'unlabelled' } },
  { what: 'more than was asked for', route: { file: mini, ranges: 'longer' } },
  { what: 'no ETag, no date', route: { file: mini, etag: null, lastModified: null } },
  { what: '503 twice', route: { file: mini, exceptions: [{ to: 2, status: 503 }] } },
  { what: 'a reset', route: { file: mini, exceptions: [{ to: 1, cut: { at: 50_001, how: 'reset' } }] } },
  { what: 'a body that ends early', route: { file: mini, exceptions: [{ to: 1, cut: { at: 50_001, how: 'end' } }] } },
  { what: 'another tag each time', route: { file: mini, exceptions: [{ from: 2, etag: 'W/"b"' }] } },
  { what: 'a list of models that is missing', path: 'models/models.json', route: { status: 404 } },
  { what: 'a list of models that is none', path: 'models/models.json', route: { bytes: text('[{"id": 3}, "x"') } },
  { what: 'a list of models that never comes', path: 'models/models.json', route: never },
  {
    what: 'a list with an address that is none',
    path: 'models/models.json',
    route: { bytes: text('[{"id": "x", "name": "x", "url": "http://["}]') },
  },
];

const replaced = (object, name, value) => `Object.defineProperty(${object}, '${name}', { value: ${value} });`;
const NEVER = '() => new Promise(() => {})';
const REFUSES = `() => Promise.reject(new DOMException('denied', 'SecurityError'))`;
const handle = 'FileSystemSyncAccessHandle.prototype';
const open = 'FileSystemFileHandle.prototype';

/** Nothing can be kept, and nothing says that it is; the numbers are right all the same. */
export const STORAGE_FAULTS = [
  ['getDirectory never settles', replaced('navigator.storage', 'getDirectory', NEVER)],
  [
    'getDirectory refuses',
    replaced('navigator.storage', 'getDirectory', REFUSES) + replaced('self', 'caches', 'undefined'),
  ],
  ['locks.request never settles', replaced('navigator.locks', 'request', NEVER)],
  ['locks.request refuses', replaced('navigator.locks', 'request', REFUSES)],
  ['createSyncAccessHandle never settles', replaced(open, 'createSyncAccessHandle', NEVER)],
  ['createSyncAccessHandle refuses', replaced(open, 'createSyncAccessHandle', REFUSES)],
  [
    'caches.open never settles',
    replaced('navigator.storage', 'getDirectory', REFUSES) + replaced('caches', 'open', NEVER),
  ],
  ['write gives 4294967288', replaced(handle, 'write', '() => 4294967288')],
  ['write gives 0', replaced(handle, 'write', '() => 0')],
  ['write throws', replaced(handle, 'write', `() => { throw new DOMException('full', 'QuotaExceededError'); }`)],
  ['flush throws', replaced(handle, 'flush', `() => { throw new DOMException('gone', 'InvalidStateError'); }`)],
];
