import { readConfig, text, url } from '@truetally/platform';
import { urlOfRole } from '@truetally/testing';
import { givenPath } from '../ledger/ledger-address.js';
import { LOCAL_ROLE_PREFIX } from '../stack/bring-up.js';
import { localFolder } from '../stack/local-folder.js';
import { readPrivateJson } from '../stack/private-file.js';
import { type StackSecrets } from '../stack/stack-secrets.js';

/** Whose click values are sealed anew, and with which ring. */
export interface RotationTarget {
  /** Of the service's own role: it may read sealed values and replace them, and nothing else of a touch. */
  readonly databaseUrl: string;
  readonly schema: string;
  readonly keyringFile: string;
}

const SCHEMA = 'attribution_ledger';
const SETTINGS = {
  DATABASE_URL: url({ protocols: ['postgres:', 'postgresql:'] }),
  DATABASE_SCHEMA: text({
    default: SCHEMA,
    pattern: /^[a-z_][a-z0-9_]{0,62}$/,
    rule: 'a lower-case SQL identifier',
  }),
  KEYRING_FILE: text(),
};

/**
 * What DATABASE_URL and KEYRING_FILE name, or else the local stack that runs.
 * @throws ConfigError when only one of them is set; Error when neither is and no stack runs
 */
export function rotationTarget(environment: NodeJS.ProcessEnv): RotationTarget {
  const isConfigured = [environment['DATABASE_URL'], environment['KEYRING_FILE']].some(
    (value) => value !== undefined && value !== '',
  );
  if (isConfigured) {
    const config = readConfig(environment, SETTINGS);
    return {
      databaseUrl: config.DATABASE_URL,
      schema: config.DATABASE_SCHEMA,
      keyringFile: givenPath(config.KEYRING_FILE, environment),
    };
  }
  return localTarget(environment);
}

function localTarget(environment: NodeJS.ProcessEnv): RotationTarget {
  const { path, stackFile, secrets } = localFolder(environment);
  const stack = readPrivateJson(stackFile) as { database_url: string; keyring_file: string } | null;
  const kept = readPrivateJson(secrets) as StackSecrets | null;
  if (stack === null || kept === null) {
    throw new Error(
      `No stack runs in ${path}: start one with "npm start", or set DATABASE_URL and KEYRING_FILE.`,
    );
  }
  const password = kept.product.rolePasswords['attribution-ledger'];
  return {
    databaseUrl: urlOfRole(stack.database_url, `${LOCAL_ROLE_PREFIX}${SCHEMA}`, password),
    schema: SCHEMA,
    keyringFile: stack.keyring_file,
  };
}
