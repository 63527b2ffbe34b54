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
  /** Commands are rare and short; one connection more is the outbox relay's. */
  DATABASE_CONNECTIONS: databaseConnections({ least: 2, usual: 8 }),
  /** Says every site, credential and member again, as after a restore of Kafka from an old copy. */
  REPUBLISH_ON_START: flag({ default: false }),
  /** How often settlements of an integration are pulled. */
  SETTLEMENTS_PULL_INTERVAL_SECONDS: integer({ min: 1, max: 86_400, default: 3_600 }),
  ...mediaStoreSettings(),
};

export type ManagementConfig = Configuration<typeof SETTINGS> & { readonly mediaStore: MediaStoreOptions };

/** @throws ConfigError naming every variable that is missing or breaks its rule */
export function readManagementConfig(): ManagementConfig {
  const config = readConfig(process.env, SETTINGS);
  return { ...config, mediaStore: mediaStoreOf(config) };
}

/** What the migration step reads. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings('management'));
}
