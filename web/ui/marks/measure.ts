// How wide text will be, guessed without a DOM: enough to break lines and to keep labels apart.
import type { Run } from './marks';

const NARROW = /[ilj.,;:'|·()\s]/;
const WIDE = /[mwMWQO@—]/;

export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const letter of text) width += NARROW.test(letter) ? 0.27 : WIDE.test(letter) ? 0.78 : 0.485;
  return width * size;
}

/** Breaks runs between words into lines of at most `width`. */
export function brokenRuns(runs: readonly Run[], size: number, width: number): Run[][] {
  const lines: Run[][] = [[]];
  let used = 0;
  for (const run of runs) {
    let text = '';
    const push = (): void => {
      if (text) lines.at(-1)?.push({ ...run, text });
      text = '';
    };
    for (const word of run.text.split(/(?<= )/)) {
      const length = textWidth(word, size);
      if (used + length > width && used > 0) {
        push();
        lines.push([]);
        used = 0;
      }
      text += word;
      used += length;
    }
    push();
  }
  return lines;
}
