import { type CryptoKey, jwtVerify } from 'jose';
import { Strategy, type VerifierOptions } from 'passport-jwt';

export interface IdTokenRules {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** For clocks that differ. */
  readonly clockToleranceSeconds: number;
}

/** What a token is judged by. The time goes along with the key: a strategy's own options are as old as it is. */
export interface Yardstick {
  readonly key: CryptoKey;
  readonly now: Date;
}

/** The claims of a token that obeys the rules; undefined for another. */
export type ClaimsOf = (token: string, yardstick: Yardstick) => Promise<unknown>;

// Its own verifier, jsonwebtoken, knows no EdDSA (docs/decisions/id-tokens.md).
Strategy.JwtVerifier = verifyWithJose;

/** passport-jwt's way through a token, as one function for all tokens of an issuer. */
export function idTokenStrategy(rules: IdTokenRules): ClaimsOf {
  const { issuer, audience, algorithms, clockToleranceSeconds } = rules;
  const strategy = new Strategy<Yardstick, unknown>(
    {
      issuer,
      audience,
      algorithms,
      jsonWebTokenOptions: { clockTolerance: clockToleranceSeconds },
      jwtFromRequest: ({ token }) => token,
      secretOrKeyProvider: ({ yardstick }, _token, done) => done(null, yardstick),
    },
    (claims, done) => done(null, claims),
  );
  return (token, yardstick) =>
    new Promise((resolve, reject) => {
      // As passport does for each request: the strategy itself does not know for whom it works.
      const attempt = Object.create(strategy) as typeof strategy;
      attempt.success = resolve;
      attempt.fail = () => resolve(undefined);
      attempt.error = reject;
      attempt.authenticate({ token, yardstick });
    });
}

function verifyWithJose(
  token: string,
  { key, now }: Yardstick,
  { issuer, audience, algorithms, clockTolerance }: VerifierOptions,
  done: (fault: unknown, claims?: unknown) => void,
): void {
  jwtVerify(token, key, {
    issuer,
    audience,
    algorithms: [...algorithms],
    clockTolerance,
    currentDate: now,
    requiredClaims: ['sub', 'exp'],
  }).then(
    ({ payload }) => done(null, payload),
    // Whatever jose dislikes about it, it is not a token for us: the caller answers 401.
    (fault: unknown) => done(fault),
  );
}
