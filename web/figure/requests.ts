// What a figure asks of its engine and what has been answered: the newest request wins, and what it lacks is told.
import type { Engine, Stage } from '../engine/api';
import { bytes } from '../ui/numbers';
import type { FlowData } from '../views/flow/data';
import type { FlowOptions } from '../views/flow/element';
import { Answers } from './answers';
import type { FigureEvents, FigureInput } from './input';
import type { Now } from './now';
import type { FigureParts } from './parts';
import { FigureQueries, idsOf, type QueryEvents } from './queries';
import { figureRequest } from './request';
import { Results } from './results';

/** The figure that asks. */
export interface Asking {
  readonly parts: FigureParts;
  input(): FigureInput | null;
  /** What is shown, of the last tokens that are known; null while there are none. */
  now(): Now | null;
  /** The same, once the tokens are those of the prompt that is wanted. */
  known(): Now | null;
  /** Whether the tokens of the prompt are being asked for. */
  waits(): boolean;
  view(): FlowOptions;
  tell<K extends keyof FigureEvents>(type: K, detail: FigureEvents[K]): void;
  paint(): void;
  /** Other pictures are drawn. */
  drawn(flow: FlowData): void;
}

export class Requests {
  readonly #figure: Asking;
  readonly answers: Answers;
  #engine: Engine | null = null;
  #queries: FigureQueries | null = null;
  #results = new Results();
  /** The last request; null once it is answered. */
  #request: symbol | null = null;

  constructor(figure: Asking) {
    this.#figure = figure;
    this.answers = new Answers(figure.parts.answer);
  }

  get engine(): Engine | null {
    return this.#engine;
  }

  /** Null while there is no engine, or the figure is not in a document. */
  get queries(): FigureQueries | null {
    return this.#queries;
  }

  get results(): Results {
    return this.#results;
  }

  /** Another engine, or none: whatever was asked of the one before is let go. */
  use(engine: Engine | null): void {
    this.answers.forget();
    this.#queries?.close();
    this.#engine = engine;
    this.#queries = engine && new FigureQueries(engine, this.#events);
    this.#results = new Results();
    this.#request = null;
  }

  /** Asks for what is to be seen, in as many bins as there is room for. */
  show({ input, engine, queries, tokens, row }: Now): void {
    const { flow, screen } = this.#figure.parts;
    const { request, plan } = figureRequest(input.state, engine, tokens, row, flow);
    flow.showPending(plan, request.block, request.head, this.#figure.view());
    if (input.allowed.answer) this.answers.wait();
    const { blockCount, headCount } = engine.info.config;
    const [rows, focus] = [request.rows[1] - request.rows[0], { block: request.block, head: request.head }];
    const bins = screen.plan(tokens.length, blockCount, headCount, focus, rows);
    const mine = Symbol('request');
    this.#request = mine;
    void queries.show(request, plan, bins, input.allowed).then(() => {
      if (this.#request !== mine) return;
      this.#request = null;
      this.showAnswer();
      this.#figure.tell('hf-computing', null);
    });
  }

  showAnswer(): void {
    const [input, known] = [this.#figure.input(), this.#figure.known()];
    if (!input) return;
    const vocabulary = known?.engine.info.config.vocabularySize ?? 0;
    const question = known && { key: known.key, tokens: known.text.tokens, used: known.tokens.length, vocabulary };
    const busy = known ? this.#request !== null : this.#figure.waits();
    this.answers.show(question, busy && input.allowed.answer, input.host, input.words);
  }

  /** The reader agrees to load what the answer lacks. */
  allowAnswer(): void {
    this.answers.wait();
    this.#figure.tell('hf-allow', { kind: 'logits', block: 0 });
  }

  readonly #events: QueryEvents = {
    progress: (progress) => {
      this.#figure.tell('hf-computing', progress);
      if (progress.stage.kind === 'mlp') this.#count(progress.stage.block + 1);
    },
    square: (square) => {
      this.#results.square = square;
      this.#figure.paint();
    },
    flow: (flow) => {
      this.#results.flow = flow;
      this.#count(flow.block + 1);
      this.#figure.paint();
      this.#figure.drawn(flow);
      this.#figure.tell('hf-news', 'picture');
    },
    heads: (run, block, heads) => {
      this.#results.take(run, block, heads);
      this.#count(block + 1);
      this.#figure.paint();
    },
    next: (run, next, before) => {
      this.answers.take(run, next, before);
      this.showAnswer();
      this.#figure.paint();
      this.#count((this.#engine?.info.config.blockCount ?? 0) + 1);
      this.#figure.tell('hf-news', 'answer');
    },
    lacks: (goal, size) => this.#lacks(goal, size),
    failure: (error) => {
      this.#figure.tell('hf-failure', error);
      void this.#tellLack();
    },
  };

  #count(blocks: number): void {
    const ids = idsOf(this.#figure.now()?.tokens ?? []);
    if (this.#results.count(ids, blocks)) this.#figure.tell('hf-news', 'progress');
  }

  /** What is chosen is not loaded, and the figure says so, instead of showing something else. */
  #lacks(goal: Stage, size: number): void {
    const known = this.#figure.known();
    const { flow } = this.#figure.parts;
    if (!known) return;
    if (goal.kind === 'logits') this.answers.lacks(known.key, bytes(size));
    else {
      const { request, plan } = figureRequest(known.input.state, known.engine, known.tokens, known.row, flow);
      this.#results.flow = null;
      flow.showAbsent(plan, request.block, request.head, this.#figure.view());
    }
    this.#figure.tell('hf-lacks', { goal, size });
  }

  /** Loading has ended early: what an answer still lacks is offered again. */
  async #tellLack(): Promise<void> {
    const known = this.#figure.known();
    const size = await known?.queries.lackingForNext().catch(() => 0); // A prompt or model that was left lacks nothing.
    if (!size || !known || known.text !== this.#figure.known()?.text) return;
    this.answers.lacks(known.key, bytes(size));
    this.showAnswer();
  }
}
