// What comes next, in the figure: shown only while it is the answer for the tokens that the figure shows. An answer is
// kept with the tokens it was computed from, so that a prompt that comes back finds its own.
import type { NextToken, Token } from '../engine/api';
import { tokenText } from '../ui/tokens';
import type { Words } from '../ui/words/words';
import type { AnswerElement } from '../views/answer/element';

export interface Question {
  /** Names the run. */
  readonly key: string;
  readonly tokens: readonly Token[];
  /** The first so many tokens, which fit the context. */
  readonly used: number;
  readonly vocabulary: number;
}

/** What an answer for these tokens lacks of the model, as text. */
interface Lack {
  readonly ids: string;
  readonly size: string;
}

export class Answers {
  readonly #element: AnswerElement;
  #answered: {
    readonly ids: string;
    readonly next: readonly NextToken[];
    readonly before: readonly NextToken[] | null;
  } | null = null;
  #lack: Lack | null = null;

  constructor(element: AnswerElement) {
    this.#element = element;
  }

  /** `ids` names the run, with the heads that are off in it; `before` is of the run with all on. */
  take(ids: string, next: readonly NextToken[], before: readonly NextToken[] | null): void {
    this.#answered = { ids, next, before };
    this.#lack = null;
  }

  /** The likeliest token of a run; null while it is not known. */
  first(ids: string): NextToken | null {
    return this.#answered?.ids === ids ? (this.#answered.next[0] ?? null) : null;
  }

  lacks(ids: string, size: string): void {
    this.#lack = { ids, size };
  }

  /** What was lacking is being loaded. */
  wait(): void {
    this.#lack = null;
  }

  /** Another model: nothing that is known belongs to it. */
  forget(): void {
    this.#answered = null;
    this.#lack = null;
  }

  /**
   * `question` is null while the tokens of the prompt are not known. `computing`: the rest of the model is at work on it.
   * `host`: whom lacking bytes would be asked of, where it is not the page's own.
   */
  show(question: Question | null, computing: boolean, host: string | null, words: Words): void {
    const ids = question?.key;
    const last = question?.tokens[question.used - 1];
    const answered = this.#answered;
    if (question && last && answered && answered.ids === ids) {
      const { tokens, used, vocabulary } = question;
      const { next, before } = answered;
      this.#element.show({ next, before, last: tokenText(last), used, tokens: tokens.length, vocabulary }, words);
    } else if (this.#lack && this.#lack.ids === ids) this.#element.ask(this.#lack.size, host, words);
    else this.#element.show(computing ? 'computing' : 'idle', words);
  }
}
