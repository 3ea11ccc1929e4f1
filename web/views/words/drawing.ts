// The prompt's tokens as a line of words, under each a bar: how much the selected one reads of it. A pure function, no DOM.
import type { NextToken, Span, Token } from '../../engine/api';
import type { Palette } from '../../ui/colour/palette';
import { type Box, type Drawing, type Mark, rectPath, type TextMark } from '../../ui/marks/marks';
import { textWidth } from '../../ui/marks/measure';
import { briefWeight, percent } from '../../ui/numbers';
import { groupText, shortened, tokenGroups, tokenText } from '../../ui/tokens';
import type { ScreenWords } from '../../ui/words/screen';

export interface WordsData {
  readonly tokens: readonly Token[];
  readonly block: number;
  readonly head: number;
  /** The token that reads. */
  readonly row: number;
  /** Its weights on the keys, P[row, 0 .. T) of this head; null while they are not known. */
  readonly weights: Float32Array | null;
  /** The likeliest token after the last one; null while it is not known. */
  readonly next: NextToken | null;
}

export interface WordsView {
  readonly width: number;
  readonly palette: Palette;
  readonly words: ScreenWords;
  /** Whether token ids are written under the words. */
  readonly ids: boolean;
}

/** The place of the tokens that make one word, or one character. */
export interface WordPlace extends Box {
  /** [first, last) */
  readonly tokens: Span;
}

export interface WordsDrawing extends Drawing {
  readonly places: readonly WordPlace[];
  readonly prediction: Box | null;
  readonly lines: number;
  readonly lineHeight: number;
}

const SIZE = 18;
const SMALL = 12.5;
const ID_SIZE = 11;
/** Height of the bar of a weight of 1. */
export const BAR = 26;
/** From a line's top: baseline of the words, underline, foot of the bars, baselines of weights and ids. */
const AT = { word: 18, underline: 24, foot: 29 + BAR, weight: 43 + BAR, id: 56 + BAR } as const;
const NARROWEST = textWidth('.00', SMALL) + 4;
const LONGEST = 24;
/** Weights below this have a bar and no number. */
const WORTH_A_NUMBER = 0.05;
const NUMBERS = 3;

/** Shortened until it fits. */
function fitted(text: string, room: number): string {
  let length = LONGEST;
  while (length > 1 && textWidth(shortened(text, length), SIZE, 'sans', 600) > room) length--;
  return shortened(text, length);
}

interface Word {
  readonly tokens: Span;
  readonly text: string;
  readonly ids: string;
  readonly width: number;
}

function wordsOf({ tokens }: WordsData, view: WordsView): Word[] {
  return tokenGroups(tokens).map((span) => {
    const own = tokens.slice(...span);
    const text = fitted(groupText(own), view.width - 4);
    const ids = own.map(({ id }) => id).join(' ');
    const least = view.ids ? Math.max(NARROWEST, textWidth(ids, ID_SIZE, 'mono') + 6) : NARROWEST;
    return { tokens: span, text, ids, width: Math.max(least, textWidth(text, SIZE, 'sans', 600) + 1) };
  });
}

/** The weight on a word: of its tokens together, since they share its place; null where it is masked or not known. */
export function weightOn({ weights, row }: Pick<WordsData, 'weights' | 'row'>, [first, last]: Span): number | null {
  if (!weights || first > row) return null;
  let sum = 0;
  for (let key = first; key < Math.min(last, row + 1); key++) sum += weights[key] ?? 0;
  return sum;
}

export const holds = ([first, last]: Span, row: number): boolean => first <= row && row < last;

const text = (x: number, y: number, written: string, size: number, colour: string): TextMark => ({
  kind: 'text',
  x,
  y,
  runs: [{ text: written }],
  size,
  face: 'sans',
  colour,
  anchor: 'middle',
});

/** Places words one after the other, on as many lines as it takes. */
class Lines {
  line = 0;
  #x = 0;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {}

  take(width: number, gap: number): Box {
    if (this.#x > 0 && this.#x + gap + width > this.width) {
      this.line++;
      this.#x = 0;
    }
    const x = this.#x > 0 ? this.#x + gap : 0;
    this.#x = x + width;
    return { x, y: this.line * this.height, width, height: this.height };
  }
}

function wordMarks(word: Word, place: WordPlace, data: WordsData, { ids, palette }: WordsView): Mark[] {
  const selected = holds(word.tokens, data.row);
  const colour = selected ? palette.ink : word.tokens[0] > data.row ? palette.inkFaint : palette.inkSoft;
  const middle = place.x + place.width / 2;
  const runs = [{ text: word.text, ...(selected ? { weight: 600 } : {}) }];
  const marks: Mark[] = [{ ...text(middle, place.y + AT.word, word.text, SIZE, colour), runs }];
  if (ids) marks.push({ ...text(middle, place.y + AT.id, word.ids, ID_SIZE, palette.inkFaint), face: 'mono' });
  return marks;
}

function barMarks(data: WordsData, places: readonly WordPlace[], palette: Palette): Mark[] {
  let feet = '';
  let bars = '';
  for (const { tokens, x, y, width } of places) {
    const weight = weightOn(data, tokens);
    if (weight === null) continue;
    const foot = y + AT.foot;
    feet += `M${x + 1} ${foot}h${width - 2}`;
    if (weight > 0) bars += rectPath({ x: x + 1, y: foot - weight * BAR, width: width - 2, height: weight * BAR });
  }
  const marks: Mark[] = [];
  if (bars) marks.push({ kind: 'path', path: bars, fill: palette.mark.probability });
  if (feet) marks.push({ kind: 'path', path: feet, stroke: palette.hatch, width: 1 });
  return marks;
}

/** The numbers of the largest weights; small ones are told by their bars alone. */
function numberMarks(data: WordsData, places: readonly WordPlace[], palette: Palette): TextMark[] {
  const told = places.flatMap((place) => {
    const weight = weightOn(data, place.tokens);
    return weight !== null && weight >= WORTH_A_NUMBER ? [{ place, weight }] : [];
  });
  const largest = told.sort((a, b) => b.weight - a.weight).slice(0, NUMBERS);
  return largest.map(({ place: { x, y, width }, weight }) => ({
    ...text(x + width / 2, y + AT.weight, '', SMALL, palette.text.probability),
    runs: [{ text: briefWeight(weight), weight: 600 }],
  }));
}

/** A line under the selected word, and "reading, head 3.2" where the numbers of its line leave room for it. */
function selectedMarks(at: WordPlace, numbers: readonly TextMark[], data: WordsData, view: WordsView): Mark[] {
  const path = `M${at.x + 1} ${at.y + AT.underline}h${at.width - 2}`;
  const marks: Mark[] = [{ kind: 'path', path, stroke: view.palette.light, width: 2 }];
  const said = view.words.line.reading(`${data.block}.${data.head}`);
  const half = textWidth(said, SMALL) / 2;
  const x = Math.max(half, Math.min(view.width - half, at.x + at.width / 2));
  const y = at.y + AT.weight;
  const clear = numbers.every((number) => number.y !== y || Math.abs(number.x - x) > half + NARROWEST / 2 + 4);
  if (clear && 2 * half <= view.width) marks.push(text(x, y, said, SMALL, view.palette.inkSoft));
  return marks;
}

export function drawWords(data: WordsData, view: WordsView): WordsDrawing {
  const { palette } = view;
  const lineHeight = (view.ids ? AT.id : AT.weight) + 8;
  const flow = new Lines(view.width, lineHeight);
  const places: WordPlace[] = [];
  const marks: Mark[] = [];
  for (const word of wordsOf(data, view)) {
    const place = { ...flow.take(word.width, 1), tokens: word.tokens };
    places.push(place);
    marks.push(...wordMarks(word, place, data, view));
  }
  let prediction: Box | null = null;
  if (data.next) {
    const runs = [
      { text: '▸', colour: palette.inkFaint },
      { text: shortened(tokenText(data.next), LONGEST), weight: 600 },
      { text: ` ${percent(data.next.probability)}` },
    ];
    prediction = flow.take(textWidth(runs.map((run) => run.text).join(''), SIZE, 'sans', 600), 8);
    const mark = text(prediction.x, prediction.y + AT.word, '', SIZE, palette.text.probability);
    marks.push({ ...mark, runs, anchor: 'start' });
  }
  const numbers = numberMarks(data, places, palette);
  marks.push(...barMarks(data, places, palette), ...numbers);
  const selected = places.find(({ tokens }) => holds(tokens, data.row));
  if (selected) marks.push(...selectedMarks(selected, numbers, data, view));
  const lines = flow.line + 1;
  return { width: view.width, height: lines * lineHeight, marks, places, prediction, lines, lineHeight };
}
