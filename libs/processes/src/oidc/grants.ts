import { createHash, randomBytes } from 'node:crypto';
import type { LocalPerson } from './people.js';

/** Who signed in, and how long the tokens are to last. */
export interface SignIn {
  readonly person: LocalPerson;
  /** Seconds since 1970. */
  readonly at: number;
  /** 60–86,400. */
  readonly idTokenSeconds: number;
  readonly refreshWithoutIdToken: boolean;
}

/** What a code or a refresh token stands for. */
export interface Grant {
  readonly signIn: SignIn;
  readonly nonce: string | undefined;
}

interface Code extends Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly expiresAtMs: number;
}

/** All refresh tokens that follow from one sign-in: one used twice ends them all. */
interface Family extends Grant {
  current: string;
}

const CODE_LIFETIME_MS = 60_000;
const TOKEN_BYTES = 32;
/** A developer's machine: the oldest give way. */
const MAX_KEPT = 1000;

/** Codes and refresh tokens of a local issuer, in memory. */
export class Grants {
  private readonly codes = new Map<string, Code>();
  private readonly families = new Map<string, Family>();
  /** Every refresh token ever given, to its family. */
  private readonly familyOf = new Map<string, string>();

  newCode(grant: Grant, redirectUri: string, challenge: string): string {
    const code = newToken();
    keep(this.codes, code, { ...grant, redirectUri, challenge, expiresAtMs: Date.now() + CODE_LIFETIME_MS });
    return code;
  }

  /** A code is good once, whatever is wrong with the request. */
  redeemCode(code: string, redirectUri: string, verifier: string): Grant | undefined {
    const found = this.codes.get(code);
    this.codes.delete(code);
    if (found === undefined || found.expiresAtMs < Date.now() || found.redirectUri !== redirectUri)
      return undefined;
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    return challenge === found.challenge ? found : undefined;
  }

  newRefreshToken(grant: Grant): string {
    const family = newToken();
    const token = newToken();
    keep(this.families, family, { ...grant, current: token });
    keep(this.familyOf, token, family);
    return token;
  }

  /** The next token of the family; undefined for an unknown one, and for one that was used before. */
  rotate(token: string): { readonly grant: Grant; readonly next: string } | undefined {
    const name = this.familyOf.get(token);
    const family = name === undefined ? undefined : this.families.get(name);
    if (name === undefined || family === undefined) return undefined;
    if (family.current !== token) {
      this.families.delete(name);
      return undefined;
    }
    family.current = newToken();
    keep(this.familyOf, family.current, name);
    return { grant: family, next: family.current };
  }

  /** Ends what the person has signed in to. */
  end(person: LocalPerson): void {
    for (const [name, { signIn }] of this.families) if (signIn.person === person) this.families.delete(name);
  }
}

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest);
}
