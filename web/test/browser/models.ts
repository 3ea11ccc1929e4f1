// For tests in a browser: the models, and the address of a page that shows one.
import { join } from 'node:path';
import { root } from '../../../scripts/setup/paths.mjs';

export const embedded = join(root, 'models', 'headflow-small.Q8_0.gguf');
/** GPT-2 small's shape: 137 MB. */
export const shaped = join(root, 'build', 'testdata', 'gpt2-small-shaped.Q8_0.gguf');
/** Two blocks, a few hundred kilobytes. */
export const mini = join(root, 'cpp', 'testdata', 'gpt2-mini', 'gpt2-mini.Q8_0.gguf');

/** `fields` are those of the page's fragment: model, prompt, load, block, ... */
export const address = (site: string, fields: Readonly<Record<string, string>>): string =>
  `${site}#${new URLSearchParams(fields)}`;
