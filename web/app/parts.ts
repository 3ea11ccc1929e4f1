// What the page is made of: its elements, in their order.
import '../views/answer/element';
import '../views/breakdown/element';
import '../views/flow/element';
import { h } from '../ui/dom';
import './inside';
import '../ui/notice';
import './options';
import './origin';
import './pickers';
import '../ui/progress';
import '../ui/prompt';
import './readout';
import type { ViewState } from '../ui/state';
import './toggles';
import type { Words } from '../ui/words/words';

export type Parts = ReturnType<typeof makeParts>;

export function makeParts(words: Words, state: ViewState) {
  const parts = {
    options: h('hf-options'),
    notice: h('hf-notice'),
    origin: h('hf-origin'),
    prompt: h('hf-prompt'),
    pickers: h('hf-pickers'),
    empty: h('p', { class: 'empty', hidden: true }, words.prompt.empty),
    toggles: h('hf-toggles'),
    flow: h('hf-flow'),
    inside: h('hf-inside', { hidden: true }),
    offline: h('p', { class: 'host offline', role: 'status' }),
    forbidden: h('p', { class: 'host forbidden', role: 'status' }),
    answer: h('hf-answer', { slot: 'aside' }),
    breakdown: h('hf-breakdown', { hidden: true }),
    readout: h('hf-readout'),
    progress: h('hf-progress'),
    dropping: h('div', { class: 'dropping', hidden: true }, words.model.drop),
  };
  parts.flow.append(parts.answer);
  parts.prompt.words = words;
  parts.readout.show(null, null, words);
  parts.answer.show(null, words);
  parts.toggles.show(state, null, words);
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
    h('div', { class: 'top' }, parts.prompt, parts.pickers),
    parts.empty,
    parts.toggles,
    parts.flow,
    parts.inside,
    parts.offline,
    parts.forbidden,
    h('div', { class: 'foot' }, parts.breakdown, parts.readout, parts.progress),
    parts.dropping,
  ];
}
