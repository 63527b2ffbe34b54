import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@truetally/platform';
import { readGatewayConfig } from './config.js';

const SECRET = Buffer.alloc(32, 7).toString('base64url');
const GOOD = {
  KAFKA_BROKERS: '127.0.0.1:9092',
  DATABASE_URL: 'postgres://gateway@127.0.0.1/truetally',
  OPERATIONS_PORT: '0',
  HTTP_PORT: '0',
  ADMIN_SECRET: 'a'.repeat(32),
  KEYRING_FILE: '/etc/truetally/keyring.json',
  MEDIA_DIRECTORY: '/var/lib/truetally/media',
  RUNTIME_TOKEN_KEYS: JSON.stringify([
    { kid: 'b', secret: SECRET },
    { kid: 'a', secret: SECRET },
  ]),
};

describe("the gateway's configuration", () => {
  it('the configuration is read with its defaults, signing keys in their order', () => {
    const config = readGatewayConfig(GOOD);
    expect(config.DATABASE_SCHEMA).toBe('gateway');
    expect(config.HTTP_HOST).toBe('127.0.0.1');
    expect(config.DASHBOARD_ORIGINS).toEqual([]);
    expect(config.RUNTIME_TOKEN_KEYS.map(({ kid }) => kid)).toEqual(['b', 'a']);
  });

  it.each([
    ['no JSON', 'nope'],
    ['no array', '{}'],
    ['no key', '[]'],
    ['a short secret', JSON.stringify([{ kid: 'a', secret: 'c2hvcnQ' }])],
    ['a secret in another alphabet', JSON.stringify([{ kid: 'a', secret: `${SECRET}+/` }])],
    ['no kid', JSON.stringify([{ secret: SECRET }])],
    ['one kid twice', JSON.stringify([1, 2].map(() => ({ kid: 'a', secret: SECRET })))],
  ])(
    'the configuration is refused with %s for RUNTIME_TOKEN_KEYS, without repeating it',
    (_name, RUNTIME_TOKEN_KEYS) => {
      const read = (): unknown => readGatewayConfig({ ...GOOD, RUNTIME_TOKEN_KEYS });
      expect(read).toThrow(ConfigError);
      expect(read).toThrow('RUNTIME_TOKEN_KEYS must be');
      expect(read).not.toThrow(SECRET);
    },
  );

  it('the configuration is refused with an admin secret of 31 characters', () => {
    expect(() => readGatewayConfig({ ...GOOD, ADMIN_SECRET: 'a'.repeat(31) })).toThrow('ADMIN_SECRET');
  });

  it('sets the URL of pictures: its own, its public URL, or a CDN', () => {
    const own = { ...GOOD, HTTP_PORT: '4180' };
    expect(readGatewayConfig(own).mediaBaseUrl).toBe('http://127.0.0.1:4180/api/v1/public/media');
    const named = { ...own, PUBLIC_BASE_URL: 'https://api.example/api/v1/' };
    expect(readGatewayConfig(named).mediaBaseUrl).toBe('https://api.example/api/v1/public/media');
    const cdn = { ...named, MEDIA_BASE_URL: 'https://cdn.example/m' };
    expect(readGatewayConfig(cdn).mediaBaseUrl).toBe('https://cdn.example/m');
    expect(() => readGatewayConfig({ ...own, MEDIA_BASE_URL: 'cdn.example' })).toThrow(
      'MEDIA_BASE_URL must be',
    );
  });

  it('accepts ID tokens of an issuer only if the issuer and their audience are configured', () => {
    expect(readGatewayConfig(GOOD).identityProvider).toBeUndefined();
    const issuer = 'https://login.example/tenant';
    const named = { ...GOOD, OIDC_ISSUER: issuer };
    expect(() => readGatewayConfig(named)).toThrow('OIDC_AUDIENCE');
    const complete = { ...named, OIDC_AUDIENCE: 'dashboard' };
    const provider = { issuer, audience: 'dashboard' };
    expect(readGatewayConfig(complete).identityProvider).toEqual({ ...provider, jwksUri: undefined });
    const jwksUri = `${issuer}/keys`;
    const withKeys = { ...complete, OIDC_JWKS_URI: jwksUri };
    expect(readGatewayConfig(withKeys).identityProvider).toEqual({ ...provider, jwksUri });
    for (const bad of ['login.example', 'ftp://login.example']) {
      expect(() => readGatewayConfig({ ...complete, OIDC_ISSUER: bad })).toThrow('OIDC_ISSUER must be');
      expect(() => readGatewayConfig({ ...complete, OIDC_JWKS_URI: bad })).toThrow('OIDC_JWKS_URI must be');
    }
  });
});
