// What the page asks the reader about transfers: more of a model for a click that states its size, and what a model's
// host learns.
import type { Stage } from '../engine/api';
import { bytes } from '../ui/numbers';
import type { Words } from '../ui/words/words';
import type { Answers } from './answers';
import type { Consent } from './consent';
import { message } from './failures';
import type { Models } from './models';
import type { Parts } from './parts';
import type { Bench, Workbench } from './workbench';

/** What the page does for whoever asks about transfers. */
export interface TransferPage {
  /** Asks again for what the state wants to see. */
  show(): void;
  /** What is chosen is not loaded: the figure says so, instead of showing something else. */
  absent(): void;
  /** `again` is offered as a button. */
  fail(text: string, again: () => void): void;
}

export class Transfer {
  readonly #page: TransferPage;
  readonly #models: Models;
  readonly #workbench: Workbench;
  readonly #parts: Parts;
  readonly #answers: Answers;
  readonly #consent: Consent;
  readonly #words: Words;

  constructor(
    page: TransferPage,
    bench: { models: Models; workbench: Workbench; answers: Answers; consent: Consent },
    parts: Parts,
    words: Words,
  ) {
    this.#page = page;
    this.#models = bench.models;
    this.#workbench = bench.workbench;
    this.#answers = bench.answers;
    this.#consent = bench.consent;
    this.#parts = parts;
    this.#words = words;
  }

  /** `goal` needs so many bytes that the reader has not agreed to load. */
  lacks(goal: Stage, size: number): void {
    this.#parts.progress.show('', null);
    const bench = this.#workbench.current;
    if (!bench) return;
    const [needed, host] = [bytes(size), this.#host(bench)];
    if (goal.kind === 'logits') {
      this.#answers.lacks(needed, host);
      void this.#workbench.prove(); // It has shown all that it may.
      return;
    }
    const { answer, failure, model } = this.#words;
    const act = (): void => {
      this.#consent.allowBlock(goal.block);
      this.#parts.notice.show(null, failure.dismiss);
      this.#page.show();
    };
    this.#page.absent();
    const text = model.blockNeeds(goal.block, needed, host);
    this.#parts.notice.show(text, failure.dismiss, { label: answer.load(needed), act });
  }

  loadAnswer(): void {
    this.#consent.allowAnswer();
    this.#answers.wait();
    this.#page.show();
  }

  /** Loading has ended early: what an answer still lacks is offered again. */
  async tellAnswer(): Promise<void> {
    const bench = this.#workbench.current;
    const lacking = await bench?.controller.session.lacking({ kind: 'logits', block: 0 });
    if (bench && bench === this.#workbench.current && lacking) this.#answers.lacks(bytes(lacking), this.#host(bench));
  }

  /** Of a model on another host: says what that host learns. */
  async tellOrigin(): Promise<void> {
    const bench = this.#workbench.current;
    const host = bench && this.#host(bench);
    if (!bench || !host) return this.#parts.origin.show(null, this.#words);
    const { tensors } = await bench.engine.status();
    if (this.#workbench.current !== bench) return;
    const rows = tensors.filter(({ part }) => part === 'embeddings');
    const lacking = rows.reduce((sum, { size, present }) => sum + size - present, 0);
    this.#parts.origin.show({ host, rows: lacking > 0 ? bytes(lacking) : null }, this.#words);
  }

  async loadRows(): Promise<void> {
    try {
      await this.#workbench.current?.engine.loadEmbeddings();
      this.#parts.progress.show('', null);
      await this.tellOrigin();
    } catch (error) {
      this.#page.fail(message(error), () => void this.loadRows());
    }
  }

  #host(bench: Bench): string | null {
    return this.#models.foreignHost(bench.id);
  }
}
