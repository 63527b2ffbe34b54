import {
  ConfigError,
  type Configuration,
  databaseConnections,
  list,
  mediaStoreOf,
  type MediaStoreOptions,
  mediaStoreSettings,
  migrationSettings,
  readConfig,
  serviceSettings,
  text,
  verificationSettings,
} from '@truetally/platform';

const SERVICE = 'publisher-analytics';
const BLOCK = /^[0-9a-f.:]+\/\d{1,3}$/i;

const SETTINGS = {
  ...serviceSettings(SERVICE),
  /** One for clicks, several for job steps and reports, the outbox relay. */
  DATABASE_CONNECTIONS: databaseConnections({ least: 4, usual: 8 }),
  /** The keys that seal click references, uploads and credentials of integrations. */
  KEYRING_FILE: text(),
  /** Private address blocks from which networks may be pulled: `10.1.0.0/16`. */
  ALLOW_PRIVATE_NETWORKS: list({ default: [] }),
  ...mediaStoreSettings(),
};

export type PublisherConfig = Configuration<typeof SETTINGS> & { readonly uploadStore: MediaStoreOptions };

/** @throws ConfigError naming every variable that is missing or invalid */
export function readPublisherConfig(): PublisherConfig {
  const config = readConfig(process.env, SETTINGS);
  if (!config.ALLOW_PRIVATE_NETWORKS.every((block) => BLOCK.test(block))) {
    throw new ConfigError(['ALLOW_PRIVATE_NETWORKS must be address blocks such as 10.1.0.0/16']);
  }
  return { ...config, uploadStore: mediaStoreOf(config) };
}

/** Settings of the verification. */
export function readVerificationConfig() {
  return readConfig(process.env, verificationSettings(SERVICE));
}

/** Settings of the migration step. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings(SERVICE));
}
