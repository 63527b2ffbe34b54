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
  /** Where its keys are; undefined: where the issuer's discovery document says. */
  readonly jwksUri: string | undefined;
  readonly nowMs: () => number;
  /** Hears why the issuer could not be asked. */
  readonly onUnreachable: (error: unknown) => void;
}

/** `unknown-key`: the issuer has none that fits. `unavailable`: it cannot be asked, and is not known to have one. */
export type IssuerKeyFault = 'unknown-key' | 'unavailable';

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

const DISCOVERY_PATH = '/.well-known/openid-configuration';
const FETCH_TIMEOUT_MS = 5_000;
/** As long as a key that its issuer has withdrawn can still be found here. */
const KEYS_FRESH_MS = 600_000;
/** Between two fetches for unknown key ids: anybody can send as many of those as he likes. */
const REFETCH_INTERVAL_MS = 5_000;
const RETRY_AFTER_FAILURE_MS = 1_000;

/**
 * The public keys of the merchants' issuer: fetched when they are first needed, again when they are old, and once in a
 * while when a token names one that is not among them. While the issuer is away, the keys known last stay good.
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
      // It may have been added since: only the issuer could say.
      if (isWithoutKey(error)) return fail('unavailable');
      throw error;
    }
  }

  /** One discovery at a time, and none after the first that succeeded. */
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

/** OpenID Connect Discovery, section 4: the document must be the issuer's own. */
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
