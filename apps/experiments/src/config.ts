import {
  type Configuration,
  integer,
  migrationSettings,
  readConfig,
  serviceSettings,
} from '@truetally/platform';

const MAX_DATABASE_CONNECTIONS = 100;

const SETTINGS = {
  ...serviceSettings('experiments'),
  /** Two assigning transactions, folding, learning, the outbox relay, commands, and questions. */
  DATABASE_CONNECTIONS: integer({ min: 8, max: MAX_DATABASE_CONNECTIONS, default: 10 }),
};

export type ExperimentsConfig = Configuration<typeof SETTINGS>;

/** @throws ConfigError naming every variable that is missing or breaks its rule */
export function readExperimentsConfig(): ExperimentsConfig {
  return readConfig(process.env, SETTINGS);
}

/** What the migration step reads. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings('experiments'));
}

/** What the verification reads: an owner's connection, or the service's own. */
export function readVerifyConfig() {
  const { DATABASE_URL, DATABASE_SCHEMA, LOG_LEVEL } = serviceSettings('experiments');
  return readConfig(process.env, { DATABASE_URL, DATABASE_SCHEMA, LOG_LEVEL });
}
