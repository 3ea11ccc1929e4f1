// What the panels below the figure have in common: each is loaded on demand and shown one view of the page.
import type { Edit, Engine, Token } from '../../engine/api';

export interface InsideView {
  readonly engine: Engine;
  /** The tokens that the figure uses; at least one. */
  readonly tokens: readonly Token[];
  /** The heads that are off in it. */
  readonly edits: readonly Edit[];
  readonly prompt: string;
  readonly block: number;
  /** Blocks that the figure has computed for these tokens, and one more once it has the logits. */
  readonly computed: number;
}

export interface Panel extends HTMLElement {
  show(view: InsideView): void;
}
