import {
  type Configuration,
  databaseConnections,
  migrationSettings,
  readConfig,
  serviceSettings,
  verificationSettings,
} from '@truetally/platform';

const SETTINGS = {
  ...serviceSettings('experiments'),
  /** Two assigning transactions, folding, learning, the outbox relay, commands, and queries. */
  DATABASE_CONNECTIONS: databaseConnections({ least: 8, usual: 10 }),
};

export type ExperimentsConfig = Configuration<typeof SETTINGS>;

/** @throws ConfigError naming every variable that is missing or invalid */
export function readExperimentsConfig(environment: NodeJS.ProcessEnv = process.env): ExperimentsConfig {
  return readConfig(environment, SETTINGS);
}

/** Settings of the migration step. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings('experiments'));
}

/** Settings of the verification. */
export function readVerifyConfig() {
  return readConfig(process.env, verificationSettings('experiments'));
}
