// What comes next, on the page: shown only while it is the answer for the prompt and the model that the page shows.
import type { Engine, NextToken, Token } from '../engine/api';
import { tokenText } from '../ui/tokens';
import type { Words } from '../ui/words/words';
import type { Answer, AnswerElement } from '../views/answer/element';

interface Question {
  readonly engine: Engine;
  readonly tokens: readonly Token[];
  readonly used: number;
}

interface Answered {
  readonly engine: Engine;
  readonly ids: string;
  readonly next: readonly NextToken[];
}

const idsOf = ({ tokens, used }: Question): string =>
  tokens
    .slice(0, used)
    .map(({ id }) => id)
    .join();

export class Answers {
  readonly #element: AnswerElement;
  readonly #words: Words;
  #question: Question | null = null;
  #answered: Answered | null = null;

  constructor(element: AnswerElement, words: Words) {
    this.#element = element;
    this.#words = words;
  }

  /** Null while prompt or model have changed and the new tokens are not known. */
  ask(question: Question | null): void {
    this.#question = question;
    this.#element.show(this.#answer, this.#words);
  }

  /** The answer needs bytes that are not loaded; `host`: whom they would be asked of, where it is not the page's own. */
  lacks(size: string, host: string | null): void {
    if (this.#question && !this.#answer) this.#element.ask(size, host, this.#words);
  }

  /** What it lacks is being loaded. */
  wait(): void {
    this.#element.show(this.#answer, this.#words);
  }

  take(next: readonly NextToken[]): void {
    const question = this.#question;
    if (!question) return;
    this.#answered = { engine: question.engine, ids: idsOf(question), next };
    this.#element.show(this.#answer, this.#words);
  }

  get #answer(): Answer | null {
    const [question, answered] = [this.#question, this.#answered];
    if (!question || answered?.engine !== question.engine || answered.ids !== idsOf(question)) return null;
    const { engine, tokens, used } = question;
    const last = tokens[used - 1];
    if (!last) return null;
    const vocabulary = engine.info.config.vocabularySize;
    return { next: answered.next, last: tokenText(last), used, tokens: tokens.length, vocabulary };
  }
}
