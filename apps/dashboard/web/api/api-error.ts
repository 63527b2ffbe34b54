/** A refusal of the service, or none of its answers. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** @param status 0 when there was no answer. @param retryAfterMs how long the service asks to wait */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, readonly string[]>>,
    readonly requestId: string | undefined,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}
