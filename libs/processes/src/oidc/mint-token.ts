import { createPublicKey } from 'node:crypto';
import { importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { type IssuerKey, SIGNING_ALGORITHMS } from './issuer-keys.js';

/** The `aud` of ID tokens that a local gateway accepts. */
export const ID_TOKEN_AUDIENCE = 'truetally-dashboard';

/** The last two must be refused by any verifier: an unsigned token, and one signed with public data. */
export const TOKEN_ALGORITHMS = [...SIGNING_ALGORITHMS, 'none', 'HS256'] as const;
/** One of `TOKEN_ALGORITHMS`: the issuer's own, or one that a gateway must refuse. */
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** Claims and header of an ID token to issue. */
export interface IdTokenRequest {
  readonly iss: string;
  readonly aud: string | readonly string[];
  readonly sub: string;
  /** Verified unless `emailVerified` says otherwise; without it the token has no address. */
  readonly email?: string;
  readonly emailVerified?: boolean;
  /** Relative to now; negative for an expired token. Default: a day. */
  readonly expiresInSeconds?: number;
  /** Relative to now; without it the token has no `nbf`. */
  readonly notBeforeSeconds?: number;
  /** Default: RS256. HS256 is keyed with the text of the issuer's public RS256 key. */
  readonly alg?: TokenAlgorithm;
  /** In the header. One of the issuer's own selects that key, any other is only written. */
  readonly kid?: string;
  /** Claims to omit. */
  readonly without?: readonly string[];
}

const DEFAULT_EXPIRES_IN_SECONDS = 86_400;
const MS_PER_SECOND = 1_000;

/** Mints an ID token with the keys of an issuer: a valid one, or an invalid one as requested. */
export async function mintIdToken(keys: readonly IssuerKey[], request: IdTokenRequest): Promise<string> {
  const claims = claimsOf(request);
  if (request.alg === 'none') return new UnsecuredJWT(claims).encode();
  const ownKey = keys.find(({ kid }) => kid === request.kid);
  const alg = request.alg ?? ownKey?.alg ?? 'RS256';
  const key = alg === ownKey?.alg ? ownKey : keyOf(keys, alg === 'HS256' ? 'RS256' : alg);
  return new SignJWT(claims)
    .setProtectedHeader({ alg, typ: 'JWT', kid: request.kid ?? key.kid })
    .sign(alg === 'HS256' ? publicText(key) : await importJWK(key, alg));
}

function claimsOf(request: IdTokenRequest): JWTPayload {
  const { iss, aud, sub, email, emailVerified = true, notBeforeSeconds, without = [] } = request;
  const now = Math.floor(Date.now() / MS_PER_SECOND);
  const exp = now + (request.expiresInSeconds ?? DEFAULT_EXPIRES_IN_SECONDS);
  const claims = {
    iss,
    aud,
    sub,
    iat: Math.min(now, exp - 1),
    exp,
    ...(email === undefined ? {} : { email, email_verified: emailVerified }),
    ...(notBeforeSeconds === undefined ? {} : { nbf: now + notBeforeSeconds }),
  };
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !without.includes(name)));
}

function keyOf(keys: readonly IssuerKey[], alg: string): IssuerKey {
  const key = keys.find((each) => each.alg === alg);
  if (key === undefined) throw new Error(`The issuer has no key for ${alg}.`);
  return key;
}

function publicText(key: IssuerKey): Uint8Array {
  const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
  return Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }));
}
