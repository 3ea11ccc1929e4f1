// Failures as the page sees them: one shape, whether the engine, the network or the page's own code is the cause.

/** Every failure that reaches the page. `code` is stable; `message` says what, where, got, expected, what to do. */
export interface EngineFailure {
  readonly name: 'EngineError';
  readonly code: string;
  readonly message: string;
}

export class EngineError extends Error implements EngineFailure {
  override readonly name = 'EngineError';

  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The wasm module and the other side of a worker throw plain errors of this name. */
export function isEngineFailure(error: unknown): error is Error & EngineFailure {
  return error instanceof Error && error.name === 'EngineError' && 'code' in error;
}

/** The error itself if it is a failure already; anything else is a defect of ours. */
export function asEngineFailure(error: unknown): Error & EngineFailure {
  if (isEngineFailure(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new EngineError('internal', `The engine failed unexpectedly: ${message}`, { cause: error });
}
