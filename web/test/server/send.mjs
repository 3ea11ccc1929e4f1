// Sends a planned answer, piece by piece: paced, cut, stalled or compressed as the route asks.
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';

/** How many bytes of the body come before the cut; Infinity where it does not reach so far. */
function lengthBeforeCut({ cut }, { begin, end }) {
  if (!cut) return Number.POSITIVE_INFINITY;
  const length = cut.at === undefined ? (cut.after ?? 0) : cut.at - begin;
  return length >= 0 && length < end - begin ? length : Number.POSITIVE_INFINITY;
}

const write = (stream, bytes) => new Promise((resolve) => stream.write(bytes, resolve));

/**
 * Sends the body and returns the outcome. Each piece is waited for, so `onSent` is told little that the client never
 * read.
 */
export async function sendBody(response, { answer, content, part, paces, gate, onSent }) {
  const encoder = answer.gzip ? createGzip() : null;
  const emitted = encoder ? forward(encoder, response, onSent) : null;
  const before = lengthBeforeCut(answer, part);
  let left = before;
  const longest = Math.min(...paces.map((pace) => pace.piece));
  for await (const piece of content.pieces(part.begin, part.end, longest)) {
    for (const some of left < piece.length ? [piece.subarray(0, left), piece.subarray(left)] : [piece]) {
      if (left === 0) {
        const outcome = await cutHere(response, answer.cut, gate);
        if (outcome !== null) return outcome;
        left = Number.POSITIVE_INFINITY;
      }
      if (some.length === 0) continue;
      for (const pace of paces) await pace.pass(some.length);
      if (response.destroyed) return 'cancelled';
      if (!encoder) onSent(some.length);
      await write(encoder ?? response, some);
      left -= some.length;
    }
  }
  if (response.destroyed) return 'cancelled';
  if (encoder) {
    encoder.end();
    await emitted;
  }
  response.end();
  return 'whole';
}

/** Passes on what the encoder gives. */
async function forward(encoder, response, onSent) {
  for await (const piece of encoder) {
    onSent(piece.length);
    if (response.destroyed) return;
    await write(response, piece);
  }
}

/** Null where the body goes on after all. */
async function cutHere(response, { how, pause = 0 }, gate) {
  if (pause > 0) await sleep(pause);
  if (how === 'stall') {
    await gate.wait();
    return response.destroyed ? 'cancelled' : null;
  }
  if (how === 'end') response.end();
  else if (how === 'reset') response.socket?.resetAndDestroy();
  else response.socket?.destroySoon();
  return 'cut';
}
