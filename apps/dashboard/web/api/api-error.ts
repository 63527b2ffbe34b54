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

/** What was asked may have been done all the same: only a read is known to change nothing. */
export function noAnswer(isRead = true, code = 'NETWORK_ERROR'): ApiError {
  const words = isRead
    ? 'Nothing was changed.'
    : 'Whether anything was changed is not known: look before you try again.';
  return new ApiError(0, code, words, {}, undefined, 0);
}

const SIGN_IN_AWAY = 'SIGN_IN_AWAY';

/** The token has ended, and who would give another does not answer: nobody can be asked anything. */
export function signInAway(): ApiError {
  const words = 'Your sign-in has ended, and the issuer that renews it does not answer.';
  return new ApiError(0, SIGN_IN_AWAY, words, {}, undefined, 0);
}

export function isSignInAway(error: unknown): boolean {
  return error instanceof ApiError && error.code === SIGN_IN_AWAY;
}
