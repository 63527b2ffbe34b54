import { postgresUrl, readConfig, text } from '@truetally/platform';
import { urlOfRole } from '@truetally/processes';
import { givenPath } from '../ledger/ledger-address.js';
import { LOCAL_ROLE_PREFIX, localFolder } from '../stack/local-folder.js';
import { readPrivateJson } from '../stack/private-file.js';
import { type StackSecrets } from '../stack/stack-secrets.js';

/** A schema of the product, and a connection as its service's role. */
export interface SchemaAddress {
  readonly databaseUrl: string;
  readonly schema: string;
}

/**
 * The schemas whose values are resealed, and the keyring: all values of a ring together, so that none keeps an
 * old key.
 */
export interface RotationTarget {
  readonly ledger: SchemaAddress;
  readonly management: SchemaAddress;
  readonly publisher: SchemaAddress;
  readonly keyringFile: string;
}

const LEDGER_SCHEMA = 'attribution_ledger';
const MANAGEMENT_SCHEMA = 'management';
const PUBLISHER_SCHEMA = 'publisher_analytics';
const POSTGRES = postgresUrl();
const schemaName = (name: string) =>
  text({ default: name, pattern: /^[a-z_][a-z0-9_]{0,62}$/, rule: 'a lower-case SQL identifier' });
const SETTINGS = {
  /** Of the attribution ledger. */
  DATABASE_URL: POSTGRES,
  DATABASE_SCHEMA: schemaName(LEDGER_SCHEMA),
  MANAGEMENT_DATABASE_URL: POSTGRES,
  MANAGEMENT_DATABASE_SCHEMA: schemaName(MANAGEMENT_SCHEMA),
  PUBLISHER_DATABASE_URL: POSTGRES,
  PUBLISHER_DATABASE_SCHEMA: schemaName(PUBLISHER_SCHEMA),
  KEYRING_FILE: text(),
};

/** All of them, or none for the local stack. */
const NEEDED = ['DATABASE_URL', 'MANAGEMENT_DATABASE_URL', 'PUBLISHER_DATABASE_URL', 'KEYRING_FILE'] as const;

/**
 * The target that DATABASE_URL, MANAGEMENT_DATABASE_URL, PUBLISHER_DATABASE_URL and KEYRING_FILE name, or else
 * the running local stack.
 * @throws ConfigError when only some of them are set; Error when none is and no stack runs
 */
export function rotationTarget(environment: NodeJS.ProcessEnv): RotationTarget {
  const isConfigured = NEEDED.some((name) => environment[name] !== undefined && environment[name] !== '');
  if (!isConfigured) return localTarget(environment);
  const config = readConfig(environment, SETTINGS);
  return {
    ledger: { databaseUrl: config.DATABASE_URL, schema: config.DATABASE_SCHEMA },
    management: {
      databaseUrl: config.MANAGEMENT_DATABASE_URL,
      schema: config.MANAGEMENT_DATABASE_SCHEMA,
    },
    publisher: { databaseUrl: config.PUBLISHER_DATABASE_URL, schema: config.PUBLISHER_DATABASE_SCHEMA },
    keyringFile: givenPath(config.KEYRING_FILE, environment),
  };
}

function localTarget(environment: NodeJS.ProcessEnv): RotationTarget {
  const { path, stackFile, secrets } = localFolder(environment);
  const stack = readPrivateJson(stackFile) as { database_url: string; keyring_file: string } | null;
  const kept = readPrivateJson(secrets) as StackSecrets | null;
  if (stack === null || kept === null) {
    throw new Error(`No stack runs in ${path}: start one with "npm start", or set ${NEEDED.join(', ')}.`);
  }
  const { rolePasswords } = kept.product;
  const addressOf = (schema: string, password: string): SchemaAddress => ({
    databaseUrl: urlOfRole(stack.database_url, `${LOCAL_ROLE_PREFIX}${schema}`, password),
    schema,
  });
  return {
    ledger: addressOf(LEDGER_SCHEMA, rolePasswords['attribution-ledger']),
    management: addressOf(MANAGEMENT_SCHEMA, rolePasswords.management),
    publisher: addressOf(PUBLISHER_SCHEMA, rolePasswords['publisher-analytics']),
    keyringFile: stack.keyring_file,
  };
}
