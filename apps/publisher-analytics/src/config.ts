import {
  addressBlocks,
  comparedSchema,
  type Configuration,
  databaseConnections,
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

const SETTINGS = {
  ...serviceSettings(SERVICE),
  /** One for clicks, several for job steps and reports, the outbox relay. */
  DATABASE_CONNECTIONS: databaseConnections({ least: 4, usual: 8 }),
  /** The keys that seal click references, uploads and credentials of integrations. */
  KEYRING_FILE: text(),
  /** Private address blocks from which networks may be pulled: `10.1.0.0/16`. */
  ALLOW_PRIVATE_NETWORKS: addressBlocks(),
  ...mediaStoreSettings(),
};

export type PublisherConfig = Configuration<typeof SETTINGS> & { readonly uploadStore: MediaStoreOptions };

/** @throws ConfigError naming every variable that is missing or invalid */
export function readPublisherConfig(environment: NodeJS.ProcessEnv = process.env): PublisherConfig {
  const config = readConfig(environment, SETTINGS);
  return { ...config, uploadStore: mediaStoreOf(config) };
}

/** Settings of the verification; it compares clicks with those of ingestion if it is told the schema. */
export function readVerificationConfig() {
  return readConfig(process.env, { ...verificationSettings(SERVICE), INGESTION_SCHEMA: comparedSchema() });
}

/** Settings of the migration step. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings(SERVICE));
}
