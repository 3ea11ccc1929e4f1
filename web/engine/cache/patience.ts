// A limit for the browser's storage: some of its promises never settle, and loading never waits for one.

/** Milliseconds. A tab that has just been closed holds its files for up to a second. */
export const STORAGE_PATIENCE = 2000;

/** What `work` gives, or undefined once it has taken too long; it then goes on alone. */
export function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
