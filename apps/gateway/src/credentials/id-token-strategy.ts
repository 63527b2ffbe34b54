import { type CryptoKey, jwtVerify } from 'jose';
import { Strategy, type VerifierOptions } from 'passport-jwt';

export interface IdTokenRules {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** For clock skew. */
  readonly clockToleranceSeconds: number;
}

/**
 * The parameters of a token's verification. The time is passed with the key, because a strategy's own options
 * are fixed at its creation.
 */
export interface Verification {
  readonly key: CryptoKey;
  readonly now: Date;
}

/** The claims of a valid token; undefined for another. */
export type ClaimsOf = (token: string, verification: Verification) => Promise<unknown>;

// Its own verifier, jsonwebtoken, does not support EdDSA (docs/decisions/id-tokens.md).
Strategy.JwtVerifier = verifyWithJose;

/** passport-jwt's verification as one function for all tokens of an issuer. */
export function idTokenStrategy(rules: IdTokenRules): ClaimsOf {
  const { issuer, audience, algorithms, clockToleranceSeconds } = rules;
  const strategy = new Strategy<Verification, unknown>(
    {
      issuer,
      audience,
      algorithms,
      jsonWebTokenOptions: { clockTolerance: clockToleranceSeconds },
      jwtFromRequest: ({ token }) => token,
      secretOrKeyProvider: ({ verification }, _token, done) => done(null, verification),
    },
    (claims, done) => done(null, claims),
  );
  return (token, verification) =>
    new Promise((resolve, reject) => {
      // passport does this for each request: the strategy itself has no per-request state.
      const attempt = Object.create(strategy) as typeof strategy;
      attempt.success = resolve;
      attempt.fail = () => resolve(undefined);
      attempt.error = reject;
      attempt.authenticate({ token, verification });
    });
}

function verifyWithJose(
  token: string,
  { key, now }: Verification,
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
    // Any error of jose means an invalid token: the caller answers 401.
    (fault: unknown) => done(fault),
  );
}
