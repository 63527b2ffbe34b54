import {
  type Configuration,
  databaseConnections,
  flag,
  integer,
  mediaStoreOf,
  type MediaStoreOptions,
  mediaStoreSettings,
  migrationSettings,
  readConfig,
  serviceSettings,
} from '@truetally/platform';

const SETTINGS = {
  ...serviceSettings('management'),
  /** Commands are rare and short; one more connection is for the outbox relay. */
  DATABASE_CONNECTIONS: databaseConnections({ least: 2, usual: 8 }),
  /** Publishes every site, credential and member again, as after a restore of Kafka from an old copy. */
  REPUBLISH_ON_START: flag({ default: false }),
  /** How often settlements of an integration are pulled. */
  SETTLEMENTS_PULL_INTERVAL_SECONDS: integer({ min: 1, max: 86_400, default: 3_600 }),
  /** How often a product feed is read. */
  FEEDS_SYNC_INTERVAL_SECONDS: integer({ min: 60, max: 604_800, default: 21_600 }),
  ...mediaStoreSettings(),
};

export type ManagementConfig = Configuration<typeof SETTINGS> & { readonly mediaStore: MediaStoreOptions };

/** @throws ConfigError naming every variable that is missing or invalid */
export function readManagementConfig(environment: NodeJS.ProcessEnv = process.env): ManagementConfig {
  const config = readConfig(environment, SETTINGS);
  return { ...config, mediaStore: mediaStoreOf(config) };
}

/** Settings of the migration step. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings('management'));
}
