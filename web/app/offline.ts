// Whether the page opens offline: registers its service worker, and tells how that goes.

import type { Offline } from '../ui/words/words';

type Tell = (state: Offline) => void;

/** `script` lies in the folder that it serves. Fetches nothing before `first` is done. */
export async function keepOffline(script: string, first: Promise<unknown>, tell: Tell): Promise<void> {
  if (!isSecureContext) return tell('insecure');
  const container = serviceWorkers();
  if (!container) return tell('unsupported');
  if (container.controller) tell('ready');
  else if (!mayFetch()) return;
  await first;
  try {
    const registration = await container.register(script);
    follow(registration, tell);
    registration.addEventListener('updatefound', () => follow(registration, tell));
  } catch {
    if (!container.controller) tell('failed');
  }
}

/** A sandboxed frame may not even ask for them. */
function serviceWorkers(): ServiceWorkerContainer | undefined {
  try {
    return navigator.serviceWorker;
  } catch {
    return undefined;
  }
}

/** The files that are kept cost traffic: not for a frame of another page, nor for those who save data. */
function mayFetch(): boolean {
  const { connection } = navigator as Navigator & { connection?: { readonly saveData?: boolean } };
  return window.top === window && connection?.saveData !== true;
}

/** Tells what there is now and whatever comes of a worker that is being installed. */
function follow(registration: ServiceWorkerRegistration, tell: Tell): void {
  const { installing } = registration;
  const look = (): void => {
    const { active, waiting } = registration;
    if (active) tell(waiting ? 'newer' : 'ready');
    else if (installing?.state === 'redundant') tell('failed');
  };
  look();
  installing?.addEventListener('statechange', look);
}
