// What the page is made of: its elements, in their order.
import '../figure/element';
import { h } from '../ui/dom';
import './inside';
import '../ui/notice';
import './options';
import './origin';
import '../ui/progress';
import '../ui/prompt';
import './stories';
import type { Words } from '../ui/words/words';
import { Tour } from './tour';

export type Parts = ReturnType<typeof makeParts>;

export function makeParts(words: Words) {
  const parts = {
    options: h('hf-options'),
    notice: h('hf-notice'),
    origin: h('hf-origin'),
    stories: h('hf-stories', { hidden: true }),
    prompt: h('hf-prompt'),
    tour: new Tour(),
    figure: h('hf-figure'),
    inside: h('hf-inside', { hidden: true }),
    offline: h('p', { class: 'host offline', role: 'status' }),
    forbidden: h('p', { class: 'host forbidden', role: 'status' }),
    progress: h('hf-progress'),
    dropping: h('div', { class: 'dropping', hidden: true }, words.model.drop),
  };
  parts.prompt.words = words;
  return parts;
}

/** The parts as children of the page. */
export function arranged(parts: Parts, words: Words): HTMLElement[] {
  const title = h('h1', {}, words.page.title);
  const subtitle = h('p', { class: 'subtitle' }, words.page.subtitle);
  return [
    h('header', {}, title, subtitle, parts.options),
    parts.notice,
    parts.origin,
    h('div', { class: 'top' }, parts.stories, parts.prompt),
    parts.progress,
    parts.tour.element,
    parts.figure,
    h('p', { class: 'leave' }, words.options.leave),
    parts.inside,
    parts.offline,
    parts.forbidden,
    parts.dropping,
  ];
}
