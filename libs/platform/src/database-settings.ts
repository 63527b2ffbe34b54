import { readFileSync } from 'node:fs';
import { type Configuration, ConfigError, type Setting, text } from './config.js';

const PROTOCOLS = ['postgres:', 'postgresql:'];
/** The other modes of libpq either do not verify the server, or fall back to a plain connection. */
const SSL_MODES = ['disable', 'verify-full'];
const SSL_PARAMETERS = ['sslmode', 'sslrootcert'];

/** The database of a service, and the encryption of its connections. */
export function databaseSettings() {
  return {
    DATABASE_URL: postgresUrl(),
    /** The authority of Postgres' certificate; with it, connections use verified TLS. */
    DATABASE_SSL_CA_FILE: { ...text({ rule: 'a file of certificates' }), fallback: () => '' },
  };
}

/** A URL of Postgres, with `sslmode=verify-full` (and `sslrootcert`) for TLS. */
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
 * The URL with all TLS settings in its parameters, as pools and clients expect it.
 * @throws ConfigError for an unreadable file, or a file that contradicts the URL
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
