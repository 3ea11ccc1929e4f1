// The steps of the tour, from the answer backwards: what each sets in the view, and what a reader may point at for an answer.
import type { ModelInfo } from '../../engine/api';
import type { FigureState, StageId } from '../../ui/state';
import { tokenPlain } from '../../ui/tokens';
import type { StepId, Writers } from '../../ui/tour';
import type { TourFacts } from './facts';

/** What a change of the view, or a choice, points at; null where it is no pointing. */
export type Pointed = Partial<Pick<FigureState, 'prompt' | 'row' | 'cell' | 'block' | 'head' | 'off'>> | Writers;

export interface TourStep {
  /** What is shown when the step begins. */
  readonly view: (facts: TourFacts) => Partial<FigureState>;
  /** What of the flow is brought in sight. */
  readonly stage: StageId | null;
  /** Null where it does not answer the question, but may be done meanwhile. */
  readonly right: (pointed: Pointed, facts: TourFacts, info: ModelInfo, prompt: string) => boolean | null;
  /** The answer itself is carried out, too. */
  readonly done?: boolean;
}

const none: Partial<FigureState> = { off: [], cell: null, path: [], row: null, stage: 'p', lighting: 'none' };
const atHead = ({ writer }: TourFacts): Partial<FigureState> => ({ ...none, ...writer });

const cellOf = (pointed: Pointed) => (typeof pointed === 'object' ? (pointed.cell ?? null) : null);

/** A cell of one of these tensors. */
const inTensor =
  (stages: readonly StageId[], fits: (column: number, facts: TourFacts, headDim: number) => boolean = () => true) =>
  (pointed: Pointed, facts: TourFacts, { config }: ModelInfo): boolean | null => {
    const cell = cellOf(pointed);
    return cell && stages.includes(cell.stage) && fits(cell.column, facts, config.headDim);
  };

/** The columns of a tensor of width D that are the head's own. */
const ofHead = (column: number, { writer }: TourFacts, headDim: number): boolean =>
  Math.floor(column / headDim) === writer.head;

const scores: readonly StageId[] = ['raw', 'scaled', 'masked', 'p'];

export const steps: Readonly<Record<StepId, TourStep>> = {
  next: {
    view: () => none,
    stage: null,
    right: (pointed, { next }, _info, prompt) =>
      typeof pointed === 'object' && pointed.prompt !== undefined ? pointed.prompt === prompt + tokenPlain(next) : null,
  },
  told: {
    view: atHead,
    stage: null,
    right: (pointed, { read, last }) => {
      const cell = cellOf(pointed);
      if (cell && scores.includes(cell.stage)) return cell.row === last && cell.column === read.key;
      return typeof pointed === 'object' && typeof pointed.row === 'number' && !cell ? pointed.row === read.key : null;
    },
  },
  head: {
    view: (facts) => ({ ...atHead(facts), lighting: 'writes' }),
    stage: null,
    right: (pointed, { writer }) => {
      if (typeof pointed !== 'object' || pointed.block === undefined || pointed.head === undefined) return null;
      return pointed.block === writer.block && pointed.head === writer.head;
    },
  },
  compares: {
    view: (facts) => ({ ...atHead(facts), stage: 'scaled' }),
    stage: null,
    right: (pointed, { score, last }) => {
      const cell = cellOf(pointed);
      return cell && scores.includes(cell.stage) ? cell.row === last && cell.column === score.key : null;
    },
  },
  projects: {
    view: atHead,
    stage: 'q',
    right: (pointed, facts, info) => {
      const cell = cellOf(pointed);
      return cell && (cell.stage === 'qh' || (cell.stage === 'q' && ofHead(cell.column, facts, info.config.headDim)));
    },
  },
  carries: { view: atHead, stage: 'o', right: inTensor(['o']) },
  joined: { view: atHead, stage: 'cat', right: inTensor(['cat'], ofHead) },
  residual: { view: atHead, stage: 'r', right: inTensor(['r']) },
  mlp: {
    view: atHead,
    stage: null,
    right: (pointed, { fromHeads, fromMlps }) =>
      typeof pointed === 'string' ? (pointed === 'heads') === fromHeads > fromMlps : null,
  },
  without: {
    view: atHead,
    stage: null,
    right: (pointed, { writer }) => {
      if (typeof pointed !== 'object' || !pointed.off) return null;
      return pointed.off.some(({ block, head }) => block === writer.block && head === writer.head);
    },
    done: true,
  },
};
