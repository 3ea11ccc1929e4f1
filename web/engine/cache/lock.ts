// One writer per kept file, whatever the number of tabs: Web Locks.

const nameOf = (kept: string): string => `headflow-model-${kept}`;

/**
 * Holds the lock until the function that it resolves to is called, or until `onTaken`: somebody deletes what is kept.
 * Null where another tab holds it.
 */
export function holdLock(kept: string, onTaken: () => void): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    const hold = (lock: Lock | null): Promise<void> | undefined => {
      if (lock === null) {
        resolve(null);
        return undefined;
      }
      return new Promise((release) => resolve(release));
    };
    navigator.locks.request(nameOf(kept), { ifAvailable: true }, hold).catch((error) => {
      reject(error);
      onTaken();
    });
  });
}

/** Runs `work` with the lock, which its holder loses. */
export function takeLock<T>(kept: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks.request(nameOf(kept), { steal: true }, work) as Promise<T>;
}
