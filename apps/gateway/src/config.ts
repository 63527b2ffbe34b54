import {
  addressBlocks,
  ConfigError,
  type Configuration,
  databaseUrlOf,
  flag,
  integer,
  json,
  list,
  mediaStoreOf,
  type MediaStoreOptions,
  mediaStoreSettings,
  migrationSettings,
  port,
  readConfig,
  secret,
  type Setting,
  serviceSettings,
  text,
} from '@truetally/platform';
import type { SigningKey } from './credentials/runtime-token.js';
import { ClientAddresses } from './http/shares.js';

const SERVICE = 'gateway';
const MIN_ADMIN_SECRET_CHARS = 32;
const MIN_SIGNING_SECRET_BYTES = 32;
const MIN_WORKER_SECRET_BYTES = 24;
const HTTP_PROTOCOLS = new Set(['http:', 'https:']);
const KID = /^[A-Za-z0-9._-]{1,64}$/;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

const SETTINGS = {
  ...serviceSettings(SERVICE),
  HTTP_HOST: text({ default: '127.0.0.1' }),
  HTTP_PORT: port(),
  /** The port of the platform's own routes, which are then on no other one; 0: the public port has them, too. */
  ADMIN_PORT: port({ default: 0 }),
  /** The first key signs runtime tokens, all of them verify. */
  RUNTIME_TOKEN_KEYS: json({
    rule: `a JSON array of { "kid", "secret" }, each secret at least ${MIN_SIGNING_SECRET_BYTES} bytes in base64url`,
    secret: true,
    parse: parseSigningKeys,
  }),
  ADMIN_SECRET: secret({ minLength: MIN_ADMIN_SECRET_CHARS }),
  /** Secret of the platform's workers, `whsec_` and base64; without it none of their messages is accepted. */
  WORKER_SECRET: signingSecret(),
  /** The keys that seal click values, in a file of mode 0600 that is reread when it changes. */
  KEYRING_FILE: text(),
  /** Origins of the merchants' dashboard: the only ones that management routes allow. */
  DASHBOARD_ORIGINS: list({ default: [] }),
  /** Private address blocks that merchants' integrations may name, for a single machine. */
  ALLOW_PRIVATE_NETWORKS: addressBlocks(),
  /** Addresses or networks of trusted proxies: their X-Forwarded-For names the client. */
  TRUSTED_PROXIES: trustedProxies(),
  ...mediaStoreSettings(),
  /** The public URL of this gateway, with `/api/v1`; default: its own host and port. */
  PUBLIC_BASE_URL: httpAddress(),
  /** The public URL of picture files, such as a CDN's; default: this gateway's. */
  MEDIA_BASE_URL: httpAddress(),
  /** Whether events are stored in the same Postgres server as this gateway's hourly limits. */
  EVENTS_SHARE_POSTGRES: flag({ default: false }),
  /** Maximum delay of reports to management about the use of API keys. */
  KEY_USE_INTERVAL_MS: integer({ min: 100, max: 3_600_000, default: 30_000 }),
  /** The `iss` of merchants' ID tokens; without it every ID token is refused. */
  OIDC_ISSUER: httpAddress(),
  /** Their `aud`. */
  OIDC_AUDIENCE: text({ default: '' }),
  /** The issuer's JWKS; default: from its discovery document. */
  OIDC_JWKS_URI: httpAddress(),
};

/** The issuer whose ID tokens are accepted. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUri: string | undefined;
}

type DerivedSetting =
  'OIDC_ISSUER' | 'OIDC_AUDIENCE' | 'OIDC_JWKS_URI' | 'PUBLIC_BASE_URL' | 'MEDIA_BASE_URL';

export type GatewayConfig = Omit<Configuration<typeof SETTINGS>, DerivedSetting> & {
  readonly identityProvider: IdentityProvider | undefined;
  /** Absolute; file names are appended to it. */
  readonly mediaBaseUrl: string;
  readonly mediaStore: MediaStoreOptions;
};

/** @throws ConfigError naming every variable that is missing or invalid */
export function readGatewayConfig(environment: NodeJS.ProcessEnv = process.env): GatewayConfig {
  const { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_JWKS_URI, PUBLIC_BASE_URL, MEDIA_BASE_URL, ...config } =
    readConfig(environment, SETTINGS);
  const publicBaseUrl = PUBLIC_BASE_URL ?? `http://${config.HTTP_HOST}:${config.HTTP_PORT}/api/v1`;
  const derived = {
    ...config,
    mediaBaseUrl: MEDIA_BASE_URL ?? `${publicBaseUrl.replace(/\/+$/, '')}/public/media`,
    mediaStore: mediaStoreOf(config),
    DATABASE_URL: databaseUrlOf(config),
  };
  if (OIDC_ISSUER === undefined) return { ...derived, identityProvider: undefined };
  // Without an audience, tokens for other clients would be accepted.
  if (OIDC_AUDIENCE === '') throw new ConfigError(['OIDC_AUDIENCE is missing; OIDC_ISSUER needs it']);
  const identityProvider = { issuer: OIDC_ISSUER, audience: OIDC_AUDIENCE, jwksUri: OIDC_JWKS_URI };
  return { ...derived, identityProvider };
}

export function readMigrationConfig(environment: NodeJS.ProcessEnv = process.env) {
  return readConfig(environment, migrationSettings(SERVICE));
}

function trustedProxies(): Setting<ClientAddresses> {
  return {
    rule: 'addresses or networks such as 10.0.0.0/8, with commas between them',
    parse: (raw) => new ClientAddresses(raw.split(',').map((part) => part.trim())),
    fallback: () => new ClientAddresses([]),
  };
}

/** In the Standard Webhooks format of secrets. */
function signingSecret(): Setting<Buffer | undefined> {
  return {
    rule: `whsec_ and at least ${MIN_WORKER_SECRET_BYTES} bytes in base64`,
    secret: true,
    parse: (raw) => {
      const key = Buffer.from(raw.replace(/^whsec_/, ''), 'base64');
      if (!raw.startsWith('whsec_') || key.length < MIN_WORKER_SECRET_BYTES)
        throw new RangeError('Too short.');
      return key;
    },
    fallback: () => undefined,
  };
}

function httpAddress(): Setting<string | undefined> {
  return {
    rule: 'an absolute http(s) URL',
    parse: (raw) => {
      if (!HTTP_PROTOCOLS.has(new URL(raw).protocol)) throw new RangeError('Another protocol.');
      return raw;
    },
    fallback: () => undefined,
  };
}

function parseSigningKeys(value: unknown): readonly [SigningKey, ...SigningKey[]] {
  if (!Array.isArray(value)) throw new TypeError('Not an array.');
  const [first, ...others] = value.map(parseSigningKey);
  if (first === undefined) throw new RangeError('No key.');
  const kids = new Set([first, ...others].map(({ kid }) => kid));
  if (kids.size !== value.length) throw new RangeError('Two keys have one kid.');
  return [first, ...others];
}

function parseSigningKey(value: unknown): SigningKey {
  if (typeof value !== 'object' || value === null) throw new TypeError('Not an object.');
  const kid = 'kid' in value ? value.kid : undefined;
  const text = 'secret' in value ? value.secret : undefined;
  if (typeof kid !== 'string' || !KID.test(kid)) throw new RangeError('A kid is missing.');
  if (typeof text !== 'string' || !BASE64URL.test(text)) throw new RangeError('A secret is missing.');
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < MIN_SIGNING_SECRET_BYTES) throw new RangeError('A secret is too short.');
  return { kid, secret: bytes };
}
