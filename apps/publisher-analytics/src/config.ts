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
  /** Address blocks that networks may be pulled from though they are private: `10.1.0.0/16`. */
  ALLOW_PRIVATE_NETWORKS: list({ default: [] }),
  ...mediaStoreSettings(),
};

export type PublisherConfig = Configuration<typeof SETTINGS> & { readonly uploadStore: MediaStoreOptions };

/** @throws ConfigError naming every variable that is missing or breaks its rule */
export function readPublisherConfig(): PublisherConfig {
  const config = readConfig(process.env, SETTINGS);
  if (!config.ALLOW_PRIVATE_NETWORKS.every((block) => BLOCK.test(block))) {
    throw new ConfigError(['ALLOW_PRIVATE_NETWORKS must be address blocks such as 10.1.0.0/16']);
  }
  return { ...config, uploadStore: mediaStoreOf(config) };
}

/** What the verification reads. */
export function readVerificationConfig() {
  return readConfig(process.env, verificationSettings(SERVICE));
}

/** What the migration step reads. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings(SERVICE));
}
