// What a model's host learns of the reader, and how it can be kept from learning more.
import { bytes } from '../ui/numbers';
import type { Words } from '../ui/words/words';
import { message } from './failures';
import type { ModelSlot } from './model-slot';
import type { Models } from './models';
import type { OriginElement } from './origin';

export interface Around {
  readonly models: Models;
  readonly slot: ModelSlot;
  readonly origin: OriginElement;
  /** `again` is offered as a button. */
  readonly fail: (text: string, again: () => void) => void;
  /** Nothing is being loaded any more. */
  readonly rest: () => void;
}

export class Transfer {
  readonly #around: Around;
  readonly #words: Words;

  constructor(around: Around, words: Words) {
    this.#around = around;
    this.#words = words;
  }

  /** Whom the bytes of the model in use are asked of, where that is not the page's own host. */
  get host(): string | null {
    const { slot, models } = this.#around;
    return slot.current && models.foreignHost(slot.current.id);
  }

  /** Of a model on another host: says what that host learns. */
  async tellOrigin(): Promise<void> {
    const { slot, origin } = this.#around;
    const [model, host] = [slot.current, this.host];
    if (!model || !host) return origin.show(null, this.#words);
    const { tensors } = await model.engine.status();
    if (slot.current !== model) return;
    const rows = tensors.filter(({ part }) => part === 'embeddings');
    const lacking = rows.reduce((sum, { size, present }) => sum + size - present, 0);
    origin.show({ host, rows: lacking > 0 ? bytes(lacking) : null }, this.#words);
  }

  async loadRows(): Promise<void> {
    const { slot, rest, fail } = this.#around;
    try {
      await slot.current?.engine.loadEmbeddings();
      rest();
      await this.tellOrigin();
    } catch (error) {
      fail(message(error), () => void this.loadRows());
    }
  }
}
