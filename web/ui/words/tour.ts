// The words of the tour: what every language has to provide. A step asks one question; its answer has the numbers of the
// reader's own prompt.
import type { StepId, Writers } from '../tour';

/** The facts of a prompt as texts, ready to be put into sentences. */
export interface TourTexts {
  /** The last token, and the likeliest next one with its probability. */
  readonly last: string;
  readonly next: string;
  readonly probability: string;
  /** The head that writes most, "3.2", and what it writes. */
  readonly head: string;
  readonly writes: string;
  readonly read: string;
  readonly readAt: number;
  readonly weight: string;
  readonly scored: string;
  readonly score: string;
  readonly width: number;
  readonly headDim: number;
  readonly heads: number;
  readonly blocks: number;
  readonly fromHeads: string;
  readonly fromMlps: string;
  readonly headsWriteMore: boolean;
  readonly without: string;
}

interface StepWords {
  readonly title: string;
  readonly ask: (texts: TourTexts) => string;
  readonly answer: (texts: TourTexts) => string;
}

export interface TourWords {
  readonly label: string;
  readonly place: (step: number, steps: number) => string;
  readonly back: string;
  readonly next: string;
  readonly reveal: string;
  readonly leave: string;
  readonly right: string;
  readonly wrong: string;
  readonly waiting: string;
  readonly lacking: (size: string) => string;
  readonly load: (size: string) => string;
  readonly alone: string;
  readonly failed: (message: string) => string;
  readonly writers: Readonly<Record<Writers, string>>;
  readonly steps: Readonly<Record<StepId, StepWords>>;
}
