// The service worker: keeps the page's own files, so that it opens offline. Models are never its business.
//
// Every file is kept by its hash, all of a version or none. A new version waits until no page of the old one is open, so
// an old page never meets a new engine.
import { precacheAndRoute } from 'workbox-precaching';
import { registerRoute, setCatchHandler } from 'workbox-routing';
import { CacheFirst, NetworkFirst } from 'workbox-strategies';

declare const self: ServiceWorkerGlobalScope;

/** The page's files with their hashes, put in by the build. */
declare const PAGE_FILES: { url: string; revision: string | null; integrity: string }[];

/** How long the list of models may keep the page waiting before the kept one serves. */
const PATIENCE_S = 3;

precacheAndRoute(PAGE_FILES, { ignoreURLParametersMatching: [/./] });

// Whoever runs the host may change the list of models at any time.
const listAddress = new URL('models/models.json', self.registration.scope).href;
const list = new NetworkFirst({ cacheName: `models-${self.registration.scope}`, networkTimeoutSeconds: PATIENCE_S });
registerRoute(({ url }) => url.href === listAddress, list);
self.addEventListener('install', (event) => {
  event.waitUntil(list.handle({ event, request: new Request(listAddress) }));
});

// Fonts of other alphabets, once a prompt has had them.
const fonts = new CacheFirst({ cacheName: `fonts-${self.registration.scope}` });
registerRoute(({ url }) => url.href.startsWith(self.registration.scope) && url.pathname.endsWith('.woff2'), fonts);

// The page of the first visit asks for its later parts here too. No older worker has pages then: a new one waits for them.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
// A page that was loaded past this worker (a forced reload) asks to be served.
self.addEventListener('message', (event) => event.waitUntil(self.clients.claim()));

// A kept file is gone, and the server has another in its place: the page is the server's again.
setCatchHandler(({ request }) => fetch(request));
