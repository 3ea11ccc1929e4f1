// What goes on now, in one line: a model that is being opened comes first and stays until it is open or has failed;
// then what is being loaded of the model in use, or computed with it.
import type { ComputeProgress, LoadProgress } from '../engine/api';
import { bytes } from '../ui/numbers';
import type { ProgressElement } from '../ui/progress';
import type { Words } from '../ui/words/words';

interface Line {
  readonly text: string;
  readonly share: number | null;
  readonly stop: string | null;
}

export class Activity {
  readonly #element: ProgressElement;
  readonly #words: Words;
  #opening: Line | null = null;
  #list: Line | null = null;
  #working: Line | null = null;

  constructor(element: ProgressElement, words: Words) {
    this.#element = element;
    this.#words = words;
  }

  opens(name: string): void {
    this.#opening = { text: this.#words.model.opening(name), share: null, stop: this.#words.model.stop };
    this.#show();
  }

  /** The list of models is being read, without which none can be opened by its name. */
  reads(list: boolean): void {
    this.#list = list ? { text: this.#words.model.list, share: null, stop: null } : null;
    this.#show();
  }

  /** The model is open, or will not be. */
  opened(): void {
    this.#opening = null;
    this.#show();
  }

  /** `opening`: of the model that is being opened, else of the one in use. */
  loads(name: string, { loaded, total, trouble }: LoadProgress, opening: boolean): void {
    const { model } = this.#words;
    const text = trouble === null ? model.loading(name, bytes(loaded), bytes(total)) : model.retrying(trouble);
    const line = { text, share: total ? loaded / total : null, stop: model.stop };
    const all = loaded >= total && trouble === null;
    if (opening) this.#opening = line;
    else this.#working = all ? null : line;
    this.#show();
  }

  computes({ stage, rows, rowCount }: ComputeProgress): void {
    const { computing } = this.#words;
    const text = computing.progress(computing.stage[stage.kind](stage.block), rows, rowCount);
    this.#working = { text, share: rowCount ? rows / rowCount : null, stop: null };
    this.#show();
  }

  /** Nothing is being loaded or computed for the figure. */
  rests(): void {
    this.#working = null;
    this.#show();
  }

  #show(): void {
    const line = this.#opening ?? this.#list ?? this.#working;
    this.#element.show(line?.text ?? '', line?.share ?? null, line?.stop);
  }
}
