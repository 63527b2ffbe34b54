import {
  type Configuration,
  databaseConnections,
  migrationSettings,
  readConfig,
  serviceSettings,
  verificationSettings,
} from '@truetally/platform';

const SETTINGS = {
  ...serviceSettings('attribution-ledger'),
  /** Three recording transactions, two of touches, the outbox relay, matching, verification, and queries. */
  DATABASE_CONNECTIONS: databaseConnections({ least: 8, usual: 10 }),
};

export type LedgerConfig = Configuration<typeof SETTINGS>;

/** @throws ConfigError naming every variable that is missing or invalid */
export function readLedgerConfig(environment: NodeJS.ProcessEnv = process.env): LedgerConfig {
  return readConfig(environment, SETTINGS);
}

/** Settings of the program that publishes records again: an owner's connection, or the service's own. */
export function readRepublishConfig() {
  return readConfig(process.env, verificationSettings('attribution-ledger'));
}

/** Settings of the migration step. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings('attribution-ledger'));
}
