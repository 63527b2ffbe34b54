import { errors, jwtVerify, type JWTVerifyResult, SignJWT } from 'jose';
import { isCanonicalToken } from './canonical-token.js';
import { RememberedTokens } from './remembered-tokens.js';

export interface SigningKey {
  readonly kid: string;
  /** At least 32 bytes. */
  readonly secret: Uint8Array;
}

export interface RuntimeTokenClaims {
  readonly siteId: string;
  readonly origin: string;
  readonly expiresAtMs: number;
}

export const RUNTIME_TOKEN_SECONDS = 900;
const ALGORITHM = 'HS256';
const TYPE = 'runtime+jwt';
const AUDIENCE = 'truetally-runtime';
const MAX_TOKEN_CHARS = 2_048;

/**
 * Signs and verifies the short-lived tokens of storefront pages (interface page, section 2). The first key
 * signs and all verify, so that a new key is added in front, and the old one is removed a token's life later.
 */
export class RuntimeTokens {
  private readonly secrets: ReadonlyMap<string, Uint8Array>;
  private readonly remembered: RememberedTokens<RuntimeTokenClaims>;

  constructor(
    private readonly keys: readonly [SigningKey, ...SigningKey[]],
    private readonly nowMs: () => number,
  ) {
    this.secrets = new Map(keys.map((key) => [key.kid, key.secret]));
    this.remembered = new RememberedTokens(nowMs);
  }

  async issue(siteId: string, origin: string): Promise<{ token: string; expiresAtMs: number }> {
    const [{ kid, secret }] = this.keys;
    const issuedAt = Math.floor(this.nowMs() / 1_000);
    const expiresAt = issuedAt + RUNTIME_TOKEN_SECONDS;
    const token = await new SignJWT({ origin })
      .setProtectedHeader({ alg: ALGORITHM, kid, typ: TYPE })
      .setSubject(siteId)
      .setAudience(AUDIENCE)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(secret);
    return { token, expiresAtMs: expiresAt * 1_000 };
  }

  /** Claims of an unexpired token that this process has already verified. */
  recall(token: string): RuntimeTokenClaims | undefined {
    return this.remembered.recall(token);
  }

  /** Undefined for anything but a valid token of ours. */
  async verify(token: string): Promise<RuntimeTokenClaims | undefined> {
    if (!isReadable(token)) return undefined;
    const claims = await this.readClaims(token);
    if (claims !== undefined) this.remembered.remember(token, claims, claims.expiresAtMs);
    return claims;
  }

  /** The site of a token of ours that has expired. Its signature is verified: nobody can name another's site. */
  async siteOfExpired(token: string): Promise<string | undefined> {
    if (!isReadable(token)) return undefined;
    try {
      await this.readSigned(token);
      return undefined;
    } catch (error) {
      // Claims are only checked of a token whose signature is right.
      return error instanceof errors.JWTExpired ? error.payload.sub : undefined;
    }
  }

  private readSigned(token: string): Promise<JWTVerifyResult> {
    return jwtVerify(token, ({ kid }) => this.secretOf(kid), {
      algorithms: [ALGORITHM],
      typ: TYPE,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'origin', 'exp'],
      currentDate: new Date(this.nowMs()),
    });
  }

  private async readClaims(token: string): Promise<RuntimeTokenClaims | undefined> {
    try {
      const { payload } = await this.readSigned(token);
      const { sub, origin, exp } = payload;
      if (sub === undefined || exp === undefined || typeof origin !== 'string') return undefined;
      return { siteId: sub, origin, expiresAtMs: exp * 1_000 };
    } catch {
      // Any error of jose means an invalid token: the caller answers 401.
      return undefined;
    }
  }

  private secretOf(kid: string | undefined): Uint8Array {
    const secret = kid === undefined ? undefined : this.secrets.get(kid);
    if (secret === undefined) throw new Error('The token names no key of ours.');
    return secret;
  }
}

function isReadable(token: string): boolean {
  return token.length <= MAX_TOKEN_CHARS && isCanonicalToken(token);
}
