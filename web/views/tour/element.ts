// <hf-tour>: one step of the tour: a question about the reader's own prompt, which is answered by pointing into the figure.
// Events: hf-option (the next step and its view), hf-look (a tensor of the flow), hf-allow (the whole model).
import type { Engine, Stage } from '../../engine/api';
import { define, emit, h, shadow, sheet } from '../../ui/dom';
import { bytes, fixed, percent, share } from '../../ui/numbers';
import type { FigureState, StageId, ViewState } from '../../ui/state';
import { shared } from '../../ui/theme';
import { tokenText } from '../../ui/tokens';
import { stepIds, type Writers, writers } from '../../ui/tour';
import { enTour } from '../../ui/words/en-tour';
import type { TourTexts } from '../../ui/words/tour';
import type { InsideView } from '../inside/panel';
import { messageOf, OwnSession } from '../inside/session';
import { type TourFacts, tourFacts } from './facts';
import { type Pointed, steps } from './steps';

export interface TourView {
  readonly run: InsideView;
  /** The step, counted from 1. */
  readonly step: number;
  /** The whole model may be loaded. */
  readonly allowed: boolean;
}

type Answer = 'right' | 'wrong' | 'shown' | null;

const own = sheet(`
  :host { display: block; background: var(--paper); border-top: 1px solid var(--rule);
    border-bottom: 1px solid var(--rule); padding: 10px 0; margin-bottom: 14px; }
  .step { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 2px 24px; align-items: baseline; }
  h2 { font: 600 21px/1.25 var(--serif); margin: 0; } .place { color: var(--ink-soft); font: 400 14px var(--sans); margin-left: 12px; }
  p { margin: 0; grid-column: 1 / -1; font: 400 17px/1.4 var(--serif); text-wrap: pretty; color: var(--ink-soft); }
  .said { color: var(--ink); min-height: 1.4em; } .said strong { font-weight: 600; }
  .buttons { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 15px; }
  .buttons button { border-bottom: 1px solid var(--rule); } .buttons button:hover { border-bottom-color: var(--ink); }
  .buttons button:disabled { color: var(--ink-faint); }
  .choices { display: flex; gap: 10px; grid-column: 1 / -1; } .choices:empty { display: none; }
  .choices button { border: 1px solid var(--ink-faint); border-radius: 3px; padding: 2px 12px; }
  @media (max-width: 699px) { .step { grid-template-columns: minmax(0, 1fr); } p { font-size: 16px; } }
`);

const words = enTour;

/** A signed number as a sentence has it. */
const signed = (value: number): string => `${value < 0 ? '' : '+'}${fixed(value, 2)}`;

export class TourElement extends HTMLElement {
  readonly #title = h('span');
  readonly #place = h('span', { class: 'place' });
  readonly #ask = h('p');
  readonly #said = h('p', { class: 'said', role: 'status' });
  readonly #choices = h('div', { class: 'choices' });
  readonly #back = this.#button(words.back, () => this.#go(-1));
  readonly #next = this.#button(words.next, () => this.#go(1));
  readonly #reveal = this.#button(words.reveal, () => this.#answer('shown'));
  readonly #leave = this.#button(words.leave, () => emit<Partial<ViewState>>(this, 'hf-option', { tour: null }));
  readonly #session = new OwnSession();
  #view: TourView | null = null;
  #facts: TourFacts | null = null;
  #given: Answer = null;
  /** The step whose view was set last. */
  #begun: number | null = null;

  constructor() {
    super();
    const heading = h('h2', {}, this.#title, this.#place);
    const buttons = h('div', { class: 'buttons' }, this.#back, this.#reveal, this.#next, this.#leave);
    const step = h('section', { class: 'step' }, heading, buttons, this.#ask, this.#choices, this.#said);
    step.setAttribute('aria-label', words.label);
    shadow(this, shared, own).append(step);
  }

  #button(text: string, onclick: () => void): HTMLButtonElement {
    return h('button', { type: 'button', onclick }, text);
  }

  disconnectedCallback(): void {
    this.#session.close();
    this.#facts = null;
    this.#begun = null;
    this.#view = null;
  }

  show(view: TourView): void {
    const before = this.#view;
    this.#view = view;
    if (before?.step !== view.step) this.#given = null;
    // The tour's numbers are those of the prompt with all heads on, whatever the reader switches off meanwhile.
    const others = this.#session.follow({ ...view.run, edits: [] });
    if (others || before?.allowed !== view.allowed) void this.#compute(view);
    this.#paint();
  }

  /** A change that the reader has made in the page; true where it was an answer, and nothing else. */
  hears(pointed: Pointed): boolean {
    const [view, facts] = [this.#view, this.#facts];
    if (!view || !facts) return false;
    const step = this.#step;
    const right = step.right(pointed, facts, view.run.engine.info, view.run.prompt);
    if (right === null) return false;
    this.#answer(right ? 'right' : 'wrong');
    return !step.done;
  }

  /** The next or the last step. */
  go(by: -1 | 1): void {
    this.#go(by);
  }

  get #id() {
    return stepIds[(this.#view?.step ?? 1) - 1] ?? 'next';
  }

  get #step() {
    return steps[this.#id];
  }

  #go(by: -1 | 1): void {
    const step = (this.#view?.step ?? 1) + by;
    const id = stepIds[step - 1];
    if (id) emit<Partial<ViewState>>(this, 'hf-option', { tour: step });
  }

  #answer(given: Answer): void {
    this.#given = given;
    this.#paint();
  }

  async #compute(view: TourView): Promise<void> {
    this.#facts = null;
    this.#begun = null;
    const { tokens } = view.run;
    if (tokens.length < 2) return this.#say(words.alone);
    const current = this.#session.watch();
    try {
      const session = await this.#session.open();
      const lacking = view.allowed ? 0 : await session.lacking({ kind: 'logits', block: 0 });
      if (!current()) return;
      if (lacking > 0) return this.#offer(lacking);
      this.#say(words.waiting);
      const facts = await tourFacts(session, tokens);
      if (!current()) return;
      this.#facts = facts;
      this.#paint();
    } catch (error) {
      if (current()) this.#say(words.failed(messageOf(error)));
    }
  }

  #say(...said: (Node | string)[]): void {
    this.#said.replaceChildren(...said);
  }

  #offer(lacking: number): void {
    const size = bytes(lacking);
    const load = this.#button(words.load(size), () => emit<Stage>(this, 'hf-allow', { kind: 'logits', block: 0 }));
    this.#say(words.lacking(size), ' ', load);
  }

  /** The view of a step is set once its numbers are known: they say at which head it begins. */
  #begin(facts: TourFacts): void {
    const step = this.#view?.step ?? 1;
    if (this.#begun === step) return;
    this.#begun = step;
    emit<Partial<FigureState>>(this, 'hf-view', this.#step.view(facts));
    const { stage } = this.#step;
    if (stage) emit<StageId>(this, 'hf-look', stage);
  }

  #paint(): void {
    const [view, facts] = [this.#view, this.#facts];
    if (!view) return;
    const said = words.steps[this.#id];
    this.#title.textContent = said.title;
    this.#place.textContent = words.place(view.step, stepIds.length);
    this.#back.disabled = view.step <= 1;
    this.#next.disabled = view.step >= stepIds.length;
    this.#reveal.disabled = !facts || this.#given === 'right' || this.#given === 'shown';
    if (!facts) {
      this.#ask.textContent = '';
      this.#choices.replaceChildren();
      return;
    }
    this.#begin(facts);
    const texts = textsOf(facts, view.run.engine);
    this.#ask.textContent = said.ask(texts);
    this.#choices.replaceChildren(...(this.#id === 'mlp' ? writers.map((one) => this.#choice(one)) : []));
    if (this.#given === 'right') this.#say(h('strong', {}, words.right), ' ', said.answer(texts));
    else this.#say(this.#given === 'shown' ? said.answer(texts) : this.#given === 'wrong' ? words.wrong : '');
  }

  #choice(one: Writers): HTMLButtonElement {
    return this.#button(words.writers[one], () => void this.hears(one));
  }
}

/** The facts as sentences have them. */
function textsOf(facts: TourFacts, { info: { config } }: Engine): TourTexts {
  const { tokens, last, next, writer, read, score } = facts;
  const name = (place: number): string => {
    const token = tokens[place];
    return token ? tokenText(token) : '';
  };
  return {
    last: name(last),
    next: tokenText(next),
    probability: percent(next.probability),
    head: `${writer.block}.${writer.head}`,
    writes: signed(facts.writes),
    read: name(read.key),
    readAt: read.key,
    weight: share(read.weight),
    scored: name(score.key),
    score: fixed(score.weight, 2),
    width: config.embeddingLength,
    headDim: config.headDim,
    heads: config.headCount,
    blocks: config.blockCount,
    fromHeads: signed(facts.fromHeads),
    fromMlps: signed(facts.fromMlps),
    headsWriteMore: facts.fromHeads > facts.fromMlps,
    without: percent(facts.without),
  };
}

define('hf-tour', TourElement);

/** The tour is loaded when it is first taken. */
export const create = (): TourElement => new TourElement();
