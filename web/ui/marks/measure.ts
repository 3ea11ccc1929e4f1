// How wide text will be, without a DOM: the advance widths of the page's typefaces, as browsers measure them (no kerning).
import type { Run, TextMark, Typeface } from './marks';
import { type Maths, spans } from './math';

/** Thousandths of the size for the characters U+0020 to U+007E. */
const SANS = [
  200, 289, 426, 497, 497, 824, 609, 249, 303, 303, 418, 497, 249, 311, 249, 350, 497, 497, 497, 497, 497, 497, 497,
  497, 497, 497, 249, 249, 497, 497, 497, 425, 847, 543, 588, 571, 615, 527, 494, 617, 652, 263, 479, 579, 486, 727,
  647, 664, 566, 664, 569, 534, 536, 645, 515, 786, 513, 476, 539, 303, 350, 303, 497, 500, 542, 504, 553, 456, 555,
  496, 292, 504, 544, 246, 247, 495, 255, 829, 547, 542, 555, 555, 347, 419, 338, 544, 467, 719, 446, 467, 425, 303,
  241, 303, 497,
];
const SERIF = [
  237, 289, 381, 525, 518, 932, 728, 182, 362, 362, 458, 534, 302, 320, 302, 341, 529, 529, 529, 529, 529, 529, 529,
  529, 529, 529, 302, 302, 534, 534, 534, 414, 834, 712, 653, 662, 739, 638, 612, 723, 814, 376, 381, 710, 618, 935,
  768, 738, 621, 738, 690, 544, 632, 758, 709, 1005, 672, 667, 586, 335, 341, 335, 534, 514, 400, 541, 619, 520, 614,
  533, 369, 557, 641, 329, 303, 594, 329, 955, 643, 579, 622, 601, 456, 465, 359, 628, 579, 836, 569, 586, 490, 359,
  290, 359, 534,
];
/** Other characters of the page, in the sans face. */
const OTHERS: Readonly<Record<string, number>> = {
  '·': 249,
  '−': 497,
  '…': 948,
  '–': 480,
  '×': 497,
  '÷': 497,
  '√': 637,
  '▾': 502,
  '▸': 502,
  '’': 249,
  '±': 497,
  '→': 838,
  '⊤': 871,
  '∞': 833,
  '⟨': 390,
  '⟩': 390,
  '\u2002': 500,
};
const MONO = 600;
/** Half bold letters are wider: by this much at the weight 600. */
const BOLD = 0.03;
/** Letters of other scripts, emoji and what the faces lack. */
const UNKNOWN = 1000;

const wide: Readonly<Record<Typeface, number>> = { sans: 560, serif: 640, mono: MONO };

function letterWidth(letter: string, face: Typeface): number {
  const code = letter.codePointAt(0) ?? 0;
  if (face === 'mono') return MONO;
  const known = (face === 'serif' ? SERIF : SANS)[code - 32] ?? OTHERS[letter];
  if (known !== undefined) return known;
  return code < 0x530 ? wide[face] : UNKNOWN;
}

export function textWidth(text: string, size: number, face: Typeface = 'sans', weight = 400): number {
  let width = 0;
  for (const letter of text) width += letterWidth(letter, face);
  return (width * size * (1 + (face === 'mono' ? 0 : (BOLD * (weight - 400)) / 200))) / 1000;
}

export const runsWidth = (runs: readonly Run[], size: number, face: Typeface): number =>
  runs.reduce((sum, { text, weight }) => sum + textWidth(text, size, face, weight), 0);

/** A formula's width: in MathML scripts stand side by side or one above the other, so this is the most it can be. */
export const mathsWidth = (maths: Maths, size: number): number =>
  spans(maths).reduce(
    (sum, { text, script }) => sum + textWidth(text, script === 'base' ? size : size * 0.72, 'serif'),
    0,
  );

/** The corners of a text on the page, turned as it is. */
export function textCorners(mark: TextMark): (readonly [x: number, y: number])[] {
  const width = runsWidth(mark.runs, mark.size, mark.face);
  const left = mark.anchor === 'end' ? -width : mark.anchor === 'middle' ? -width / 2 : 0;
  const [top, bottom] = [-0.72 * mark.size, 0.2 * mark.size];
  const angle = ((mark.turn ?? 0) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corners = [
    [left, top],
    [left + width, top],
    [left + width, bottom],
    [left, bottom],
  ] as const;
  return corners.map(([x, y]) => [mark.x + x * cos - y * sin, mark.y + x * sin + y * cos] as const);
}

/** A broken line does not end in a space. */
function withoutLastSpace(line: readonly Run[]): Run[] {
  const last = line.at(-1);
  return last ? [...line.slice(0, -1), { ...last, text: last.text.trimEnd() }] : [];
}

/** Breaks runs between words into lines of at most `width`. */
export function brokenRuns(runs: readonly Run[], size: number, width: number, face: Typeface = 'sans'): Run[][] {
  const lines: Run[][] = [[]];
  let used = 0;
  for (const run of runs) {
    let text = '';
    const push = (): void => {
      if (text) lines.at(-1)?.push({ ...run, text });
      text = '';
    };
    for (const word of run.text.split(/(?<= )/)) {
      const length = textWidth(word, size, face, run.weight);
      if (used + textWidth(word.trimEnd(), size, face, run.weight) > width && used > 0) {
        push();
        lines.push([]);
        used = 0;
      }
      text += word;
      used += length;
    }
    push();
  }
  return lines.map(withoutLastSpace);
}
