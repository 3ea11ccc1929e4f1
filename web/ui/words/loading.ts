// The words of the panel that says what of a model file is loaded: their type.
import type { Keeping, ModelPart } from '../../engine/api';

export interface LoadingWords {
  readonly whole: (size: string) => string;
  readonly some: (present: string, size: string, fileSize: string) => string;
  readonly network: (requests: number, received: string) => string;
  readonly speed: (perSecond: string) => string;
  readonly keeping: (keeping: Keeping) => string;
  /** Of how many tensors the hash was compared with the one that the manifest gives. */
  readonly integrity: (verified: number, tensors: number) => string;
  readonly part: (part: ModelPart, block: number | null) => string;
  /** A part, or a block with both of its parts. */
  readonly row: (part: ModelPart, block: number | null) => string;
  readonly of: (present: string, size: string) => string;
  /** What the bars show. */
  readonly bars: string;
  readonly tensors: (count: number) => string;
  /** Name, type, shape, bytes, loaded, hash. */
  readonly columns: readonly string[];
  readonly verified: (verified: boolean | null) => string;
}
