// The name under which a model file is stored.

/** 32 hexadecimal digits of the URL's SHA-256. */
export async function keyOf(url: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(url)));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
