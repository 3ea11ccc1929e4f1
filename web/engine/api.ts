// The engine as the page sees it: one interface, whether it runs in a worker or in this thread.
// T tokens, D width, H heads, D_h = D / H, V vocabulary.

import type { Explanation } from './explanation';
import type { QueryAnswer, QueryName, QueryRequest } from './head-queries';
import type { Picture, Region, Tensor } from './tensors';

export type { Picture, Region, Span, Tensor } from './tensors';

export type StageKind = 'embed' | 'attention' | 'mlp' | 'logits';

/** A stage of the forward pass; `block` counts from 0 and is 0 for embed and logits. */
export interface Stage {
  readonly kind: StageKind;
  readonly block: number;
}

export type AxisName = 'T' | 'D' | '3D' | 'F' | 'H' | 'D_h' | 'keys' | 'V' | 'C';

/** One node of a block's data flow, as the engine describes it. */
export interface NodeInfo {
  /** llama.cpp's name without the block, e.g. "kq_soft_max"; ours where llama.cpp has none. */
  readonly name: string;
  /** "#1" where the block has an earlier node of the same name, else "". */
  readonly suffix: string;
  /** TeX notation, e.g. "Q_h K_h^\\top". */
  readonly symbol: string;
  readonly stage: StageKind;
  readonly perBlock: boolean;
  readonly ours: boolean;
  /** Logical axes, e.g. ["H","T","keys"]. */
  readonly axes: readonly AxisName[];
  /** ggml's order, contiguous axis first. */
  readonly ggmlAxes: readonly AxisName[];
  /** For views: the node that holds the values, and the offset in multiples of D elements. */
  readonly view: { readonly base: string; readonly offsetInWidths: number } | null;
}

export interface ModelInfo {
  readonly name: string;
  readonly fileSize: number;
  readonly config: {
    readonly blockCount: number;
    readonly contextLength: number;
    readonly embeddingLength: number;
    readonly feedForwardLength: number;
    readonly headCount: number;
    readonly headDim: number;
    readonly vocabularySize: number;
    readonly layerNormEpsilon: number;
  };
  /** Whether the output matrix is the token embedding itself. */
  readonly tiedOutput: boolean;
  /** Whether it has GPT-2 small's shape and vocabulary, so that the published numbers can be asked of it. */
  readonly shapedLikeGpt2Small: boolean;
  readonly nodes: readonly NodeInfo[];
}

export interface Token {
  readonly id: number;
  /** The token's exact bytes; they need not be whole UTF-8 characters. */
  readonly bytes: Uint8Array;
}

/** A head that is switched off, and what stands in for its output in every row. */
export interface Edit {
  readonly block: number;
  readonly head: number;
  readonly by: 'zero' | 'mean';
}

/** What a head does on this prompt: a measurement, never a role. Means over the queries that have such a key. */
export interface HeadStatistics {
  readonly head: number;
  /** Mean weight on key 0, over queries 1 .. T-1. */
  readonly firstToken: number;
  /** Mean weight on key t-1, over queries 1 .. T-1. */
  readonly previousToken: number;
  /** Mean weight on key t, over queries 1 .. T-1. */
  readonly self: number;
  /** Mean of entropy / log(visible keys), over queries 1 .. T-1: 0 is one key, 1 is all alike. */
  readonly entropy: number;
  /** Mean weight on the keys just after an earlier occurrence of the query's token, over the queries that have one. */
  readonly repeats?: number | undefined;
}

/** What must hold of every run, by the engine's names; what each says is for the words of the page. */
export type CheckName =
  | 'softmax_sum'
  | 'masked_zero'
  | 'head_output'
  | 'concat'
  | 'contributions'
  | 'residual'
  | 'causality'
  | 'continuation';

/** One identity, measured on a block of this run. */
export interface Check {
  readonly name: CheckName;
  /** The largest |difference| found, relative to the sum of |terms| where there are terms. */
  readonly error: number;
  /** Where true, `error` is how many numbers differ in any bit. */
  readonly countsBits: boolean;
  /** What float rounding alone may leave. */
  readonly bound: number;
  /** How many numbers were compared. */
  readonly compared: number;
  readonly holds: boolean;
}

/** A tensor that takes part in an operation: a node, a tensor of the file or an input of the graph. */
export interface LogTensor {
  readonly name: string;
  readonly shape: readonly number[];
  /** Contiguous axis first. */
  readonly ggmlShape: readonly number[];
}

/** An operand as llama.cpp prints it: "cache_k_l0 (view) (permuted)". */
export interface LogOperand extends LogTensor {
  /** Whose values it shows: a node, a tensor of the file or an input. */
  readonly of: string;
}

/** A node as llama.cpp's runtime log lists it. */
export interface LogEntry extends LogTensor {
  /** The stage that computes it. */
  readonly stage: Stage;
  /** ggml's: "MUL_MAT", "ADD", ... */
  readonly operation: string;
  readonly operands: readonly LogOperand[];
  /** Whether llama.cpp leaves it without a name. */
  readonly unnamed: boolean;
}

/** What a log shows of a node: the ends of the rows at its ends (rows run along ggml's contiguous axis). */
export interface LogValues {
  /** Indices of the rows and columns that are shown. */
  readonly rows: Int32Array;
  readonly columns: Int32Array;
  /** [rows, columns] */
  readonly values: Float32Array;
  /** Of all elements, in double. */
  readonly sum: number;
}

export interface NextToken extends Token {
  readonly logit: number;
  /** Over the full vocabulary. */
  readonly probability: number;
}

export interface LoadProgress {
  readonly phase: 'header' | 'weights';
  /** Bytes present of those that the wanted stages need. */
  readonly loaded: number;
  readonly total: number;
  /** What has failed and is being tried again; null while bytes come. */
  readonly trouble: string | null;
}

/** Which part of the model a tensor belongs to; parts are loaded one after another. */
export type ModelPart = 'embeddings' | 'attention' | 'mlp' | 'output';

/** How much of one tensor is there. */
export interface TensorLoad {
  readonly name: string;
  readonly part: ModelPart;
  /** Null for what belongs to no block. */
  readonly block: number | null;
  /** "Q8_0", "F16" or "F32". */
  readonly type: string;
  /** In ggml's order, contiguous axis first. */
  readonly ggmlShape: readonly number[];
  /** Bytes of the file. */
  readonly size: number;
  readonly present: number;
  /** Whether its bytes have the hash that the model's manifest gives; null where there is none, or not yet whole. */
  readonly verified: boolean | null;
}

/** Why a model's bytes are not kept for the next visit. */
export type KeepingOff =
  /** A file of the user's own: it is kept already. */
  | 'file'
  /** A page over plain http from another machine has no storage of the kind. */
  | 'insecure'
  /** The browser has none, or denies it (private window, sandboxed frame). */
  | 'denied'
  /** No room is left. */
  | 'full'
  /** Another tab is writing the same model. */
  | 'busy'
  /** What was kept has been deleted: by hand, or as the server has another file now. */
  | 'deleted'
  /** The browser's storage does not answer. */
  | 'unanswered';

/**
 * Whether a model's bytes are kept for the next visit. `checked`: its server has confirmed them on this visit. `writing`:
 * the browser's storage has not yet answered for all that has come.
 */
export type Keeping =
  | { readonly state: 'kept'; readonly checked: boolean }
  | { readonly state: 'writing' }
  | { readonly state: 'off'; readonly reason: KeepingOff };

/** How the transfer of a model stands. */
export interface LoadStatus {
  readonly tensors: readonly TensorLoad[];
  /** Requests to a server, and bytes that came from it. */
  readonly requests: number;
  readonly received: number;
  /** Bytes per second while bytes are coming, else null. */
  readonly speed: number | null;
  readonly keeping: Keeping;
}

/** Where a model file is read from. */
export type ModelSource =
  | {
      readonly kind: 'url';
      readonly url: string /** All embedding rows first, so that no request tells which tokens a prompt has. */;
      readonly wholeEmbeddings?: boolean;
    }
  | { readonly kind: 'file'; readonly file: File }
  /** A manifest and its pieces. */
  | { readonly kind: 'files'; readonly files: readonly File[] };

/** How far a session is. */
export interface ComputeProgress {
  /** What runs next or lacks weights, or the goal once done. */
  readonly stage: Stage;
  readonly rows: number;
  readonly rowCount: number;
}

/**
 * One figure's forward pass. Every call is answered in order of visibility, not of arrival: a new prompt overtakes the
 * work for the old one, whose pending calls reject with code "superseded".
 */
export interface Session {
  /** Sets the prompt (token ids, at most the context). Nothing is computed yet. */
  setTokens(ids: readonly number[]): Promise<void>;
  /** Switches these heads off, and all others on. What lies before the first that changes is kept. */
  setEdits(edits: readonly Edit[]): Promise<void>;
  /** Another session at the same point, which shares with this one what both have in common. */
  fork(): Promise<Session>;
  /**
   * What heads do: by the name of one of the module's queries, with its request. Runs what is lacking, behind whatever is
   * on screen. `onProgress` is told how many parts of the question are answered.
   */
  ask<Name extends QueryName>(
    name: Name,
    request: QueryRequest<Name>,
    onProgress?: (done: number) => void,
  ): Promise<QueryAnswer<Name>>;
  /**
   * Loads and computes whatever `goal` needs, for all rows, in calls of about 30 ms; `traced` records its block so that
   * all its nodes can be read. Resolves when done.
   */
  run(goal: Stage, traced: boolean, onProgress?: (progress: ComputeProgress) => void): Promise<void>;
  /** Exact values. Copied: the array is the caller's. */
  region(region: Region): Promise<Tensor>;
  /** A pooled picture of at most `height` x `width` bins. */
  picture(region: Region, height: number, width: number): Promise<Picture>;
  /** Statistics of every head of a block that `run` has traced. */
  heads(block: number): Promise<readonly HeadStatistics[]>;
  /**
   * The identities of a block, measured on this run, with a second run of another token in the middle that then goes on
   * from its KV cache. Runs and traces the block first.
   */
  checks(block: number): Promise<readonly Check[]>;
  /** The `count` likeliest tokens after row `row` (default: the last). Runs what is lacking. */
  next(count: number, row?: number): Promise<readonly NextToken[]>;
  /**
   * Where one number comes from: a cell of a node or of a tensor of the file, as text. Runs what is lacking; a block of
   * its own is traced, so that a figure that shows another block asks in a session of its own.
   */
  explain(cell: string): Promise<Explanation>;
  /** Bytes that are still to be loaded before `goal` can run for the present prompt. */
  lacking(goal: Stage): Promise<number>;
  /** Reads a node whole. Runs nothing: rejects with code "not_loaded" unless it can be read. */
  logValues(node: string): Promise<LogValues>;
  /** How many bounded calls ran for each prompt that was set, the present one last (the first is the empty prompt). */
  calls(): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** One model in one engine instance. */
export interface Engine {
  readonly info: ModelInfo;
  /** Well-formed text only; a lone surrogate becomes U+FFFD first. */
  tokenize(text: string): Promise<readonly Token[]>;
  createSession(): Promise<Session>;
  status(): Promise<LoadStatus>;
  /** Loads the embeddings of every token and position: from then on no prompt makes a request of its own for rows. */
  loadEmbeddings(): Promise<void>;
  /**
   * Brings all of the file while nothing else is asked for, and keeps it. Resolves to whether all of it is kept, so that
   * the model opens without its server.
   */
  keepWhole(): Promise<boolean>;
  /** Ends what is being loaded; whoever waits for it is told with code "stopped". What has come stays. */
  stopLoading(): Promise<void>;
  /** A number or a text of the file's metadata; null where the key is absent or holds something else. */
  metadata(key: string): Promise<string | number | null>;
  /** The rank of a merge such as "Ġ a" in the tokenizer's list, or how many there are where it is none. */
  mergeRank(merge: string): Promise<number>;
  /**
   * The runtime log for a prompt of so many tokens, in the order in which llama.cpp runs the nodes. Of these, `filter`
   * matches names, or operands' names; one that is not in the engine's dialect of patterns fails with "bad_argument".
   */
  log(tokens: number, filter?: string): Promise<readonly LogEntry[]>;
  /** Ends the instance: wasm memory never shrinks, so this is how memory is given back. */
  close(): Promise<void>;
}

/** Opens a model; rejects with an EngineFailure and leaves every other engine as it was. `signal` gives it up. */
export type OpenEngine = (
  source: ModelSource,
  onProgress?: (progress: LoadProgress) => void,
  signal?: AbortSignal,
) => Promise<Engine>;
