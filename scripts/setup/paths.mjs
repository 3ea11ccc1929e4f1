// Where set-up keeps things: all of it under build/toolchain, which git ignores.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const toolchain = join(root, 'build', 'toolchain');

/** The first folder or file of the list that exists, or undefined. */
export const firstExisting = (...candidates) => candidates.find((path) => existsSync(path));
