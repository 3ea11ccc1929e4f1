// The worker script: one engine instance, reached through comlink.
import * as Comlink from 'comlink';
import { createHost } from './host';
import { registerWire } from './wire';

registerWire();
Comlink.expose(createHost());
