// What the page tells in words, a line for each matter, so that none hides another.
import type { NoticeAction, NoticeElement } from '../ui/notice';

/**
 * `model`: opening one. `compute`: the figure's computation. `block`: a block that is not loaded. `address`: what the
 * address asks for in vain. `list`: the list of models. `drop`: what was dropped on the page.
 */
export type Matter = 'model' | 'compute' | 'block' | 'address' | 'list' | 'drop';

export class Notices {
  readonly #element: NoticeElement;
  readonly #dismiss: string;

  constructor(element: NoticeElement, dismiss: string) {
    this.#element = element;
    this.#dismiss = dismiss;
  }

  /** A null text takes the line away; so does an action, which is then done. */
  show(matter: Matter, text: string | null, ...actions: readonly NoticeAction[]): void {
    const once = actions.map(({ label, act }) => ({
      label,
      act: () => {
        this.show(matter, null);
        act();
      },
    }));
    this.#element.show(matter, text, this.#dismiss, ...once);
  }
}
