import { readFileSync } from 'node:fs';
import { type Configuration, ConfigError, type Setting, text } from './config.js';

const PROTOCOLS = ['postgres:', 'postgresql:'];
/** What else libpq knows either does not verify whom it speaks to, or falls back to a plain connection. */
const SSL_MODES = ['disable', 'verify-full'];
const SSL_PARAMETERS = ['sslmode', 'sslrootcert'];

/** Where a service's tables are, and how the way there is protected. */
export function databaseSettings() {
  return {
    DATABASE_URL: postgresUrl(),
    /** The authority that Postgres' certificate must come from; with it a plain connection is refused. */
    DATABASE_SSL_CA_FILE: { ...text({ rule: 'a file of certificates' }), fallback: () => '' },
  };
}

/** A URL of Postgres, with `sslmode=verify-full` (and `sslrootcert`) where TLS is wanted. */
export function postgresUrl(): Setting<string> {
  return {
    rule:
      'a URL beginning with postgres:// or postgresql://, whose sslmode, if any, is verify-full or disable, ' +
      `and with no other parameter of TLS than ${SSL_PARAMETERS.join(' and ')}`,
    secret: true,
    parse: (raw) => {
      const { protocol, searchParams } = new URL(raw);
      const mode = searchParams.get('sslmode') ?? 'disable';
      const others = [...searchParams.keys()].filter((name) => name.startsWith('ssl'));
      const isKnown = others.every((name) => SSL_PARAMETERS.includes(name));
      const isTrusting = searchParams.has('sslrootcert') && mode !== 'verify-full';
      if (!PROTOCOLS.includes(protocol) || !SSL_MODES.includes(mode) || !isKnown || isTrusting) {
        throw new RangeError('The value breaks the rule.');
      }
      return raw;
    },
  };
}

/**
 * The URL as everything behind the configuration takes it, which says all there is to say of TLS.
 * @throws ConfigError for a file that cannot be read, or one beside a URL that says otherwise
 */
export function databaseUrlOf(config: Configuration<ReturnType<typeof databaseSettings>>): string {
  const { DATABASE_URL: raw, DATABASE_SSL_CA_FILE: caFile } = config;
  const url = new URL(raw);
  if (caFile !== '') {
    if (url.searchParams.get('sslmode') === 'disable' || url.searchParams.has('sslrootcert')) {
      throw new ConfigError(['DATABASE_SSL_CA_FILE and what DATABASE_URL says of TLS contradict each other']);
    }
    url.searchParams.set('sslmode', 'verify-full');
    url.searchParams.set('sslrootcert', caFile);
  }
  const authority = url.searchParams.get('sslrootcert');
  if (authority === null) return raw;
  if (!holdsCertificate(authority)) {
    const name = caFile === '' ? "DATABASE_URL's sslrootcert" : 'DATABASE_SSL_CA_FILE';
    throw new ConfigError([`${name} names no file with a certificate that can be read`]);
  }
  return url.href;
}

function holdsCertificate(file: string): boolean {
  try {
    return readFileSync(file).includes('-----BEGIN CERTIFICATE-----');
  } catch {
    return false;
  }
}
