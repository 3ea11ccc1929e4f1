// The bytes of a WebAssembly module, whatever type the server calls them, and whether this place can run them.
import { forbidden } from './policy';

const MAGIC = '\0asm';
const EMPTY = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
/** A function that splats a number and drops it. */
const SIMD = Uint8Array.of(
  ...[...EMPTY, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0],
  ...[10, 9, 1, 7, 0, 0x41, 0, 0xfd, 0x0f, 0x1a, 0x0b],
);

/** Why WebAssembly with SIMD cannot run in this thread, in sentences; null where it can. */
export function unsupported(): string | null {
  if (typeof WebAssembly !== 'object') return 'this browser has no WebAssembly. Use a newer one.';
  try {
    new WebAssembly.Module(EMPTY);
  } catch {
    return (
      "this page's host forbids WebAssembly (Content-Security-Policy, script-src). " +
      "Whoever runs the host can allow it with 'wasm-unsafe-eval'."
    );
  }
  if (!WebAssembly.validate(SIMD)) return 'this browser has no WebAssembly SIMD. Use a newer one.';
  return null;
}

/** Rejects with what was wrong with the answer. */
export async function fetchBinary(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address, { credentials: 'same-origin' }).catch(async (error) => {
    const obstacle = (await forbidden('connect-src', address)) ?? error.message;
    throw new Error(`${address}: ${obstacle}`);
  });
  if (!response.ok) throw new Error(`${address}: the server answered ${response.status}`);
  const bytes = await response.arrayBuffer();
  if (String.fromCharCode(...new Uint8Array(bytes, 0, Math.min(MAGIC.length, bytes.byteLength))) !== MAGIC) {
    throw new Error(`${address}: not a WebAssembly module (was the page updated meanwhile?)`);
  }
  return bytes;
}
