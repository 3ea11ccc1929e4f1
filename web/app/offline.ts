// Whether the page opens offline: registers its service worker, and tells how that goes.

import type { Offline } from '../ui/words/words';

type Tell = (state: Offline) => void;

/**
 * `script` lies in the folder that it serves. Fetches nothing before `first` is done. `keepModel` brings what is missing
 * of the embedded model and resolves to whether all of it is kept.
 */
export async function keepOffline(
  script: string,
  first: Promise<unknown>,
  keepModel: () => Promise<boolean>,
  tell: Tell,
): Promise<void> {
  if (!isSecureContext) return tell('insecure');
  const container = serviceWorkers();
  if (!container) return tell('unsupported');
  const may = mayFetch();
  if (!container.controller && !may) return;
  await first;
  let whole = false;
  let state: Offline | null = null;
  const told: Tell = (next) => {
    state = next;
    tell(next === 'ready' && !whole ? 'partly' : next);
  };
  try {
    const registration = await container.register(script);
    follow(container, registration, told);
    registration.addEventListener('updatefound', () => follow(container, registration, told));
  } catch {
    told(container.controller ? 'ready' : 'failed');
  }
  whole = may && (await keepModel().catch(() => false));
  if (whole && state !== null) told(state);
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
function follow(container: ServiceWorkerContainer, registration: ServiceWorkerRegistration, tell: Tell): void {
  const { installing } = registration;
  const look = (): void => {
    const { active, waiting } = registration;
    if (active && container.controller) tell(waiting ? 'newer' : 'ready');
    else if (active?.state === 'activated') active.postMessage('serve this page');
    else if (installing?.state === 'redundant') tell('failed');
  };
  look();
  installing?.addEventListener('statechange', look);
  container.addEventListener('controllerchange', look);
}
