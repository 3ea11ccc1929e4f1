// <hf-stories>: a line of links, each to a prompt and a head of the model in use that show something worth asking about.
import { define, h, shadow, sheet } from '../ui/dom';
import { encodeState, initialState, type ViewState } from '../ui/state';
import { shared } from '../ui/theme';
import type { Words } from '../ui/words/words';

/** What a model's file of stories holds; what each claims besides is computed by a test. */
export interface Story {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  readonly prompt: string;
  readonly block: number;
  readonly head: number;
  readonly row: number;
}

const isStory = (entry: unknown): entry is Story => {
  if (typeof entry !== 'object' || entry === null) return false;
  const fields = entry as Record<string, unknown>;
  const texts = ['id', 'title', 'question', 'prompt'].every((key) => typeof fields[key] === 'string');
  return texts && ['block', 'head', 'row'].every((key) => Number.isInteger(fields[key]));
};

/** The stories of a parsed file; what is none is left out. */
export const storiesOf = (json: unknown): readonly Story[] => (Array.isArray(json) ? json.filter(isStory) : []);

const own = sheet(`
  :host { display: flex; flex-wrap: wrap; gap: 2px 18px; align-items: baseline; margin-bottom: 8px; font-size: 15px; }
  a { color: var(--ink-soft); text-decoration: underline; text-decoration-color: var(--rule); text-underline-offset: 4px;
    text-decoration-thickness: 1px; }
  a:hover { color: var(--ink); text-decoration-color: var(--ink); }
  a[aria-current] { color: var(--ink); font-weight: 600; text-decoration-color: var(--ink); }
  .question { font: italic 17px/1.3 var(--serif); color: var(--ink-soft); margin: 0 0 0 6px; }
  @media (max-width: 1179px) { .question { flex-basis: 100%; margin: 0; } }
  .question:empty, [hidden] { display: none; }
`);

/** The address of a story; what else is set in the page stays. */
const addressOf = ({ prompt, block, head, row }: Story, { model, theme, load, inside }: ViewState): string =>
  `#${encodeState({ ...initialState, model, theme, load, inside, prompt, block, head, row })}`;

export class StoriesElement extends HTMLElement {
  readonly #label = h('span', { class: 'label' });
  readonly #links = new Map<Story, HTMLAnchorElement>();
  readonly #question = h('p', { class: 'question' });
  readonly #tour = h('a', { class: 'tour' });
  #stories: readonly Story[] = [];

  constructor() {
    super();
    shadow(this, shared, own).append(this.#label, this.#tour, this.#question);
  }

  show(stories: readonly Story[], state: ViewState, words: Words): void {
    this.hidden = false;
    this.#label.hidden = stories.length === 0;
    this.#tour.textContent = words.screen.tour;
    this.#tour.href = `#${encodeState({ ...state, tour: 1 })}`;
    if (stories !== this.#stories) this.#make(stories);
    this.#label.textContent = words.screen.stories;
    const told = stories.find(({ prompt, block, head }) => {
      return state.prompt === prompt && state.block === block && state.head === head;
    });
    for (const [story, link] of this.#links) {
      link.href = addressOf(story, state);
      if (story === told) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
    this.#question.textContent = told?.question ?? '';
  }

  #make(stories: readonly Story[]): void {
    this.#stories = stories;
    for (const link of this.#links.values()) link.remove();
    this.#links.clear();
    for (const story of stories) {
      const link = h('a', { class: 'story' }, story.title);
      this.#links.set(story, link);
      this.#tour.before(link);
    }
  }
}

define('hf-stories', StoriesElement);
