// Downloads one large file so that an interruption costs nothing: what has come is kept in NAME.part and goes on from
// there, as long as the server still has the same file.
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A failure that is the reader's to mend; what has come is kept. */
export class DownloadError extends Error {}

/**
 * @param {{ url: string, path: string, signal?: AbortSignal, onProgress?: (have: number, size: number | null) => void }} options
 * @returns {Promise<void>} once the file is whole at `path`
 */
export async function download({ url, path, signal, onProgress = () => undefined }) {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.part`;
  const begun = await readBegun(part, url);
  let response = await ask(url, begun, signal);
  if (begun && !goesOn(response, begun)) {
    if (response.status !== 200) response = await ask(url, null, signal, response);
    return receive(response, { url, path, part, have: 0, signal, onProgress });
  }
  return receive(response, { url, path, part, have: begun?.have ?? 0, signal, onProgress });
}

/** What an earlier run has left: how much, and what the server called the file. Null where it is of no use. */
async function readBegun(part, url) {
  try {
    const noted = JSON.parse(await readFile(`${part}.json`, 'utf8'));
    const { size: have } = await stat(part);
    return noted.url === url && noted.validator && have > 0 ? { ...noted, have } : null;
  } catch {
    return null;
  }
}

async function ask(url, begun, signal, earlier) {
  await earlier?.body?.cancel();
  const headers = { 'accept-encoding': 'identity' };
  if (begun) Object.assign(headers, { range: `bytes=${begun.have}-`, 'if-range': begun.validator });
  try {
    return await fetch(url, { headers, signal });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new DownloadError(`${url}: could not be reached (${error.cause?.message ?? error.message})`);
  }
}

/** Whether the answer is the rest of what was begun. */
function goesOn(response, { have, size }) {
  const [, begin, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  return response.status === 206 && Number(begin) === have && (size === null || Number(total) === size);
}

async function receive(response, { url, path, part, have, signal, onProgress }) {
  const { body, headers, status } = response;
  const refuse = async (reason) => {
    await body?.cancel();
    throw new DownloadError(`${url}: ${reason}`);
  };
  if (status !== 200 && status !== 206) await refuse(`the server answered ${status} ${response.statusText}`.trim());
  if (headers.get('content-type')?.startsWith('text/html')) await refuse('got a web page, expected a GGUF file');
  const length = headers.get('content-length');
  const size = length === null || headers.has('content-encoding') ? null : have + Number(length);
  // A weak ETag does not say that two files have the same bytes.
  const etag = headers.get('etag');
  const validator = etag !== null && !etag.startsWith('W/') ? etag : headers.get('last-modified');

  const file = await open(part, have > 0 ? 'a' : 'w');
  let received = have;
  try {
    await writeFile(`${part}.json`, `${JSON.stringify({ url, validator, size })}\n`);
    for await (const piece of body ?? []) {
      await file.writeFile(piece);
      received += piece.length;
      onProgress(received, size);
    }
    await file.sync();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error.code === 'ENOSPC') throw new DownloadError(`${part}: no room is left on the disk`);
    throw new DownloadError(
      `${url}: the transfer broke off after ${received} bytes (${error.cause?.message ?? error.message})`,
    );
  } finally {
    await file.close();
  }
  if (size !== null && received !== size) {
    throw new DownloadError(`${url}: got ${received} bytes, expected ${size}`);
  }
  await rename(part, path);
  await rm(`${part}.json`);
}
