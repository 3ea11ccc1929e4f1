// The words of the list of kept models: what every language has to provide; loaded with the list.

export interface KeptWords {
  readonly language: string;
  readonly title: string;
  readonly none: string;
  /** How many models, and their bytes together. */
  readonly total: (models: number, size: string) => string;
  readonly columns: { readonly name: string; readonly host: string; readonly kept: string; readonly used: string };
  /** Of a file that is kept in part. */
  readonly part: (kept: string, size: string) => string;
  readonly delete: string;
  readonly deleteOne: (name: string) => string;
  readonly deleteAll: string;
  readonly failed: (reason: string) => string;
}
