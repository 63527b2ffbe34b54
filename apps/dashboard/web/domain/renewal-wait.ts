const MS_PER_SECOND = 1000;
const RENEW_BEFORE_MS = 60_000;
/** A clock that is ahead sees each new token about to end: the issuer would be asked without a pause. */
const LEAST_WAIT_MS = 30_000;
/** A browser's timer that is set for longer goes off at once: the issuer would be asked without a pause. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How long a new token goes on before it is renewed: until a minute before its end, or half of its life, if that is shorter. */
export function renewalWaitMs(
  { exp, iat }: { readonly exp: number; readonly iat: number },
  nowMs: number,
): number {
  const halfLifeMs = ((exp - iat) * MS_PER_SECOND) / 2;
  const leftMs = exp * MS_PER_SECOND - nowMs;
  const waitMs = leftMs - Math.min(RENEW_BEFORE_MS, halfLifeMs);
  return Math.min(Math.max(waitMs, Math.min(LEAST_WAIT_MS, halfLifeMs)), LONGEST_TIMER_MS);
}
