import { hash } from 'node:crypto';
import { normaliseEmail } from '@truetally/contracts/management';
import { fail, isStorableText, type Result, succeed } from '@truetally/kernel';
import { type CryptoKey, decodeProtectedHeader, type JWSHeaderParameters } from 'jose';
import type { User } from './caller.js';
import { isCanonicalToken } from './canonical-token.js';
import type { ClaimsOf } from './id-token-strategy.js';
import type { IssuerKeys } from './issuer-keys.js';
import { RememberedTokens } from './remembered-tokens.js';

export interface IdTokenSettings {
  readonly issuer: string;
  readonly audience: string;
}

/**
 * `credential-invalid`: not a token of ours. `unavailable`: cannot be verified, because the issuer is
 * unreachable.
 */
export type IdTokenFault = 'credential-invalid' | 'unavailable';

/** A user of the issuer, and until when its token need not be verified again. */
interface VerifiedUser {
  readonly user: User;
  readonly knownUntilMs: number;
}

/** Interface page, section 2. HMAC is excluded, so that a public key can never be used as a secret. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const ID_TOKEN_TYPE = 'JWT';
const CLOCK_SKEW_SECONDS = 60;
/** A token whose key was withdrawn by its issuer is refused after this time plus the key cache's. */
const REMEMBERED_MS = 600_000;
const MAX_TOKEN_CHARS = 8_192;
/** OpenID Connect Core, section 2. */
const MAX_SUBJECT_CHARS = 255;
const MS_PER_SECOND = 1_000;

/** Verifies the ID tokens of merchants against the configured issuer (interface page, section 2). */
export class IdTokens {
  /** By digest, so that no token stays in memory. */
  private readonly remembered: RememberedTokens<User>;
  private claimsOf: Promise<ClaimsOf> | undefined;

  constructor(
    private readonly settings: IdTokenSettings,
    private readonly keys: Pick<IssuerKeys, 'find'>,
    private readonly nowMs: () => number,
  ) {
    this.remembered = new RememberedTokens(nowMs);
  }

  /** The token's user. Never rejects for client errors. */
  async verify(token: string): Promise<Result<User, IdTokenFault>> {
    if (token.length > MAX_TOKEN_CHARS) return fail('credential-invalid');
    const digest = hash('sha256', token, 'base64');
    const known = this.remembered.recall(digest);
    if (known !== undefined) return succeed(known);
    const verified = await this.authenticate(token);
    if (!verified.ok) return verified;
    const { user, knownUntilMs } = verified.value;
    this.remembered.remember(digest, user, knownUntilMs);
    return succeed(user);
  }

  private async authenticate(token: string): Promise<Result<VerifiedUser, IdTokenFault>> {
    if (!isCanonicalToken(token)) return fail('credential-invalid');
    const key = await this.keyOf(token);
    if (!key.ok) return key;
    this.claimsOf ??= this.loadStrategy();
    const claimsOf = await this.claimsOf;
    const user = this.userOf(await claimsOf(token, { key: key.value, now: new Date(this.nowMs()) }));
    return user === undefined ? fail('credential-invalid') : succeed(user);
  }

  private async keyOf(token: string): Promise<Result<CryptoKey, IdTokenFault>> {
    const header = headerOf(token);
    // Before the issuer is asked: other algorithms are refused, whatever keys it has.
    if (header?.alg === undefined || !ALGORITHMS.includes(header.alg)) return fail('credential-invalid');
    if (!isOfIdToken(header)) return fail('credential-invalid');
    const key = await this.keys.find(header);
    if (key.ok) return key;
    return fail(key.error === 'unavailable' ? 'unavailable' : 'credential-invalid');
  }

  /**
   * Loaded with the first token: passport-jwt includes jsonwebtoken, which a gateway without merchants never
   * needs.
   */
  private async loadStrategy(): Promise<ClaimsOf> {
    const { idTokenStrategy } = await import('./id-token-strategy.js');
    return idTokenStrategy({
      ...this.settings,
      algorithms: ALGORITHMS,
      clockToleranceSeconds: CLOCK_SKEW_SECONDS,
    });
  }

  /** Undefined for a user without a valid name. */
  private userOf(claims: unknown): VerifiedUser | undefined {
    if (typeof claims !== 'object' || claims === null) return undefined;
    const subject = 'sub' in claims ? claims.sub : undefined;
    const expiry = 'exp' in claims ? claims.exp : undefined;
    if (typeof subject !== 'string' || subject === '' || typeof expiry !== 'number') return undefined;
    if (!isIssuedTo(this.settings.audience, claims)) return undefined;
    if (Array.from(subject).length > MAX_SUBJECT_CHARS || !isStorableText(subject)) return undefined;
    const endMs = (expiry + CLOCK_SKEW_SECONDS) * MS_PER_SECOND;
    const user = { subject, email: verifiedEmailOf(claims), tokenExpiresAtMs: expiry * MS_PER_SECOND };
    return { user, knownUntilMs: Math.min(endMs, this.nowMs() + REMEMBERED_MS) };
  }
}

/**
 * Access tokens and logout tokens have a type of their own, and their issuer may sign them with the same key
 * (RFC 9068, 8725).
 */
function isOfIdToken({ typ }: JWSHeaderParameters): boolean {
  return typ === undefined || (typeof typ === 'string' && typ.toUpperCase() === ID_TOKEN_TYPE);
}

/**
 * OpenID Connect Core, section 3.1.3.7: `azp`, if present, must be us, and it is required when there are
 * other audiences.
 */
function isIssuedTo(audience: string, claims: object): boolean {
  const party = 'azp' in claims ? claims.azp : undefined;
  if (party !== undefined) return party === audience;
  const audiences = 'aud' in claims ? claims.aud : undefined;
  return !Array.isArray(audiences) || audiences.length === 1;
}

/** Only an address that the issuer has verified: anyone can claim any address. */
function verifiedEmailOf(claims: object): string | null {
  const isVerified = 'email_verified' in claims && claims.email_verified === true;
  const email = isVerified && 'email' in claims ? claims.email : undefined;
  return typeof email === 'string' ? (normaliseEmail(email) ?? null) : null;
}

function headerOf(token: string): JWSHeaderParameters | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    // Malformed: the caller answers 401.
    return undefined;
  }
}
