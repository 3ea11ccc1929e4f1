// How the test server answers for a path: declarative, all of it optional.

/** What is sent, and how. Without `file` and `bytes`: the file of the served folder at that path. */
export interface Answer {
  /** A path on disk; it is read by pieces, never whole. */
  readonly file?: string;
  readonly bytes?: Uint8Array;
  /** The file ends after so many bytes. */
  readonly size?: number;
  /** From this byte on, the file holds zeros. */
  readonly zerosFrom?: number;

  /** Content-Type; by default that of the path's extension. */
  readonly type?: string;
  /** By default one that follows the content; null for none. */
  readonly etag?: string | null;
  /** By default a fixed date; null for none. */
  readonly lastModified?: string | null;
  /** More headers, or others; null takes one away. */
  readonly headers?: Readonly<Record<string, string | null>>;

  /** Instead of the file: this status with a short text. */
  readonly status?: number;
  /** Instead of the file: 302 to this address. */
  readonly redirect?: string;

  /**
   * `none`: 200 with the whole file to everything. `other`: 206 with the range 64 bytes further on, truly labelled.
   * `mislabelled`: the bytes asked for under the label of those further on. `unlabelled`: no Content-Range.
   * `longer`: truly labelled, up to the end of the file.
   */
  readonly ranges?: 'exact' | 'none' | 'other' | 'mislabelled' | 'unlabelled' | 'longer';
  /** Compressed on the fly, without a length: `whole` knows no ranges, `part` compresses the range itself. */
  readonly gzip?: 'whole' | 'part';
  /** For pages of another origin: `exposed` lets them read ETag and Content-Range too; null forbids them all. */
  readonly cors?: 'exposed' | 'plain' | null;
  /** Whether requests with headers of their own (If-None-Match) are allowed to such pages. */
  readonly preflight?: boolean;

  /** What happens within the body, once a transfer comes to this byte. */
  readonly cut?: Cut;
  /** Milliseconds before the headers; Infinity never answers, until `release`. */
  readonly latency?: number;
  /** For each response of its own; the server's own limit is for all of them together. */
  readonly bytesPerSecond?: number;
}

export interface Cut {
  /** An offset in the file: responses that begin there or pass it are cut there. */
  readonly at?: number;
  /** Or so many bytes of each body. */
  readonly after?: number;
  /**
   * `close` and `reset` break the connection (FIN, RST); `stall` sends nothing more until `release`; `end` ends the
   * body properly, though the headers promised more.
   */
  readonly how: 'close' | 'reset' | 'stall' | 'end';
  /** Milliseconds before that, in which a client can take what has come: a browser drops it once a connection breaks. */
  readonly pause?: number;
}

/** Another answer for some of a path's requests. */
export interface Exception extends Answer {
  /** Counted from 1 since the route was set; both inclusive. */
  readonly from?: number;
  readonly to?: number;
  /** Only requests for ranges that hold this byte of the file. */
  readonly holding?: number;
  /** At most so many times. */
  readonly times?: number;
}

export interface Route extends Answer {
  /** The first that fits overrides the fields that it has. */
  readonly exceptions?: readonly Exception[];
}

export interface ServerOptions {
  /** Where the folder appears; "/" by default. */
  readonly base?: string;
  /** dist/ by default. */
  readonly folder?: string;
  /** For every answer, those of routes included; a route's own fields come first. */
  readonly defaults?: Answer;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** A limit for all responses together. */
  readonly bytesPerSecond?: number;
}

/** One request, as it was answered. */
export interface Logged {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What was asked for, half-open; null without a Range header. */
  readonly range: { readonly begin: number; readonly end: number } | null;
  /** 0 until headers were sent. */
  readonly status: number;
  /** Bytes of the body that were handed over, compressed if they were. */
  readonly sent: number;
  /** `cut` by the server on purpose, `cancelled` by the client; `open` is still going on. */
  readonly outcome: 'open' | 'whole' | 'cut' | 'cancelled';
}

export interface Traffic {
  readonly requests: number;
  readonly bytes: number;
}
