import { fail, type Result, succeed } from '@truetally/kernel';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  type CryptoKey,
  errors,
  type JWSHeaderParameters,
} from 'jose';

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** The issuer's JWKS; undefined: from its discovery document. */
  readonly jwksUri: string | undefined;
  /** Of a clock that is never set back. */
  readonly nowMs: () => number;
  /** Called with the reason why the issuer is unreachable. */
  readonly onUnreachable: (error: unknown) => void;
}

/**
 * `unknown-key`: the issuer has no matching one. `unavailable`: it is unreachable, and no matching key is
 * cached.
 */
export type IssuerKeyFault = 'unknown-key' | 'unavailable';

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

const DISCOVERY_PATH = '/.well-known/openid-configuration';
const FETCH_TIMEOUT_MS = 5_000;
/** How long a key that its issuer has withdrawn stays in this cache. */
const KEYS_FRESH_MS = 600_000;
/** Minimum interval between fetches for unknown key ids, which anyone can send. */
const REFETCH_INTERVAL_MS = 5_000;
const RETRY_AFTER_FAILURE_MS = 1_000;

/**
 * The public keys of the merchants' issuer: fetched when first needed, again when they expire, and at a
 * bounded rate for unknown key ids. While the issuer is unreachable, the last known keys stay valid.
 */
export class IssuerKeys {
  private opening: Promise<RemoteKeys> | undefined;
  private remote: RemoteKeys | undefined;
  private retryAtMs = -Infinity;

  constructor(private readonly options: IssuerKeysOptions) {}

  async find(header: JWSHeaderParameters): Promise<Result<CryptoKey, IssuerKeyFault>> {
    if (this.options.nowMs() < this.retryAtMs) return this.findAmongLastKnown(header);
    try {
      const keys = await this.open();
      return succeed(await keys(header));
    } catch (error) {
      if (isWithoutKey(error)) return fail('unknown-key');
      this.retryAtMs = this.options.nowMs() + RETRY_AFTER_FAILURE_MS;
      this.options.onUnreachable(error);
      return this.findAmongLastKnown(header);
    }
  }

  private async findAmongLastKnown(header: JWSHeaderParameters): Promise<Result<CryptoKey, IssuerKeyFault>> {
    const lastKnown = this.remote?.jwks();
    if (lastKnown === undefined) return fail('unavailable');
    try {
      return succeed(await createLocalJWKSet(lastKnown)(header));
    } catch (error) {
      // It may be a new key: only the issuer knows.
      if (isWithoutKey(error)) return fail('unavailable');
      throw error;
    }
  }

  /** One discovery at a time, and none after the first success. */
  private async open(): Promise<RemoteKeys> {
    this.opening ??= this.connect();
    try {
      this.remote = await this.opening;
      return this.remote;
    } catch (error) {
      this.opening = undefined;
      throw error;
    }
  }

  private async connect(): Promise<RemoteKeys> {
    const jwksUri = this.options.jwksUri ?? (await discoverKeys(this.options.issuer));
    return createRemoteJWKSet(new URL(jwksUri), {
      timeoutDuration: FETCH_TIMEOUT_MS,
      cooldownDuration: REFETCH_INTERVAL_MS,
      cacheMaxAge: KEYS_FRESH_MS,
    });
  }
}

/** OpenID Connect Discovery, section 4: the document must name the issuer itself. */
async function discoverKeys(issuer: string): Promise<string> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}${DISCOVERY_PATH}`, {
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    redirect: 'error',
  });
  if (!response.ok) throw new Error(`The issuer's discovery answered ${response.status}.`);
  const document: unknown = await response.json();
  if (typeof document !== 'object' || document === null) throw new TypeError('The discovery is no object.');
  if (!('issuer' in document) || document.issuer !== issuer) {
    throw new Error("The discovery document is another issuer's.");
  }
  if (!('jwks_uri' in document) || typeof document.jwks_uri !== 'string') {
    throw new TypeError('The discovery names no jwks_uri.');
  }
  return document.jwks_uri;
}

function isWithoutKey(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
}
