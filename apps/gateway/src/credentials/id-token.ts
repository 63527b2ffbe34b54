import { hash } from 'node:crypto';
import { fail, type Result, succeed } from '@truetally/kernel';
import { type CryptoKey, decodeProtectedHeader, type JWSHeaderParameters, jwtVerify } from 'jose';
import { Strategy, type VerifierOptions } from 'passport-jwt';
import type { IssuerKeys } from './issuer-keys.js';

export interface IdTokenSettings {
  readonly issuer: string;
  readonly audience: string;
}

/** `credential-invalid`: it is none of ours. `unavailable`: nobody can say, because the issuer is away. */
export type IdTokenFault = 'credential-invalid' | 'unavailable';

/** A user, as the issuer names it, and until when its token needs not be verified again. */
interface VerifiedUser {
  readonly subject: string;
  readonly knownUntilMs: number;
}

/** Interface page, section 2. HMAC is not among them, so that a public key can never be used as a secret. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const CLOCK_SKEW_SECONDS = 60;
/** A token whose key its issuer has withdrawn is refused after this, and after the keys' own time. */
const REMEMBERED_MS = 600_000;
/** Verified tokens that are remembered; the oldest makes room. */
const MAX_REMEMBERED = 10_000;
const MAX_TOKEN_CHARS = 8_192;
/** OpenID Connect Core, section 2. */
const MAX_SUBJECT_CHARS = 255;
const MS_PER_SECOND = 1_000;

// Its own verifier, jsonwebtoken, knows no EdDSA (docs/decisions/id-tokens.md).
Strategy.JwtVerifier = verifyWithJose;

/** Verifies the ID tokens of merchants against the configured issuer (interface page, section 2). */
export class IdTokens {
  /** By digest, so that no token stays in memory. */
  private readonly remembered = new Map<string, VerifiedUser>();

  constructor(
    private readonly settings: IdTokenSettings,
    private readonly keys: Pick<IssuerKeys, 'find'>,
    private readonly nowMs: () => number,
  ) {}

  /** The user whose token it is. Never rejects for what a client can send. */
  async verify(token: string): Promise<Result<string, IdTokenFault>> {
    if (token.length > MAX_TOKEN_CHARS) return fail('credential-invalid');
    const digest = hash('sha256', token, 'base64');
    const known = this.remembered.get(digest);
    if (known !== undefined && this.nowMs() < known.knownUntilMs) return succeed(known.subject);
    this.remembered.delete(digest);
    const verified = await this.authenticate(token);
    if (!verified.ok) return verified;
    this.remember(digest, verified.value);
    return succeed(verified.value.subject);
  }

  private authenticate(token: string): Promise<Result<VerifiedUser, IdTokenFault>> {
    return new Promise((resolve, reject) => {
      const strategy = new Strategy<CryptoKey, unknown>(
        {
          ...this.settings,
          jwtFromRequest: () => token,
          secretOrKeyProvider: (_request, _token, done) => {
            this.keyOf(token).then((key) => (key.ok ? done(null, key.value) : done(key.error)), reject);
          },
          algorithms: ALGORITHMS,
          jsonWebTokenOptions: {
            clockTolerance: CLOCK_SKEW_SECONDS,
            clockTimestamp: Math.floor(this.nowMs() / MS_PER_SECOND),
          },
        },
        (payload, done) => done(null, this.userOf(payload)),
      );
      strategy.success = (user) => resolve(succeed(user as VerifiedUser));
      strategy.fail = (fault) => resolve(fail(fault === 'unavailable' ? fault : 'credential-invalid'));
      strategy.error = reject;
      strategy.authenticate({});
    });
  }

  private async keyOf(token: string): Promise<Result<CryptoKey, IdTokenFault>> {
    const header = headerOf(token);
    // Before the issuer is asked: whatever is signed in another way is refused, whichever keys it has.
    if (header?.alg === undefined || !ALGORITHMS.includes(header.alg)) return fail('credential-invalid');
    const key = await this.keys.find(header);
    if (key.ok) return key;
    return fail(key.error === 'unavailable' ? 'unavailable' : 'credential-invalid');
  }

  /** Undefined for a user without a name that could be one. */
  private userOf(payload: unknown): VerifiedUser | undefined {
    if (typeof payload !== 'object' || payload === null) return undefined;
    const subject = 'sub' in payload ? payload.sub : undefined;
    const expiry = 'exp' in payload ? payload.exp : undefined;
    if (typeof subject !== 'string' || subject === '' || typeof expiry !== 'number') return undefined;
    if (Array.from(subject).length > MAX_SUBJECT_CHARS) return undefined;
    const endMs = (expiry + CLOCK_SKEW_SECONDS) * MS_PER_SECOND;
    return { subject, knownUntilMs: Math.min(endMs, this.nowMs() + REMEMBERED_MS) };
  }

  private remember(digest: string, user: VerifiedUser): void {
    if (this.remembered.size >= MAX_REMEMBERED) {
      const oldest = this.remembered.keys().next();
      if (oldest.done !== true) this.remembered.delete(oldest.value);
    }
    this.remembered.set(digest, user);
  }
}

function headerOf(token: string): JWSHeaderParameters | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    // Not even the form of a token: the caller answers 401.
    return undefined;
  }
}

function verifyWithJose(
  token: string,
  key: CryptoKey,
  options: VerifierOptions,
  done: (fault: unknown, payload?: unknown) => void,
): void {
  const { issuer, audience, algorithms, clockTolerance, clockTimestamp } = options;
  jwtVerify(token, key, {
    issuer,
    audience,
    algorithms: [...algorithms],
    clockTolerance,
    currentDate: new Date(clockTimestamp * MS_PER_SECOND),
    requiredClaims: ['sub', 'exp'],
  }).then(
    ({ payload }) => done(null, payload),
    // Whatever jose dislikes about it, it is not a token for us: the caller answers 401.
    (fault: unknown) => done(fault),
  );
}
