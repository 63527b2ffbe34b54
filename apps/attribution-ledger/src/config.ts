import {
  type Configuration,
  integer,
  migrationSettings,
  readConfig,
  serviceSettings,
} from '@truetally/platform';

const MAX_DATABASE_CONNECTIONS = 100;

const SETTINGS = {
  ...serviceSettings('attribution-ledger'),
  /** Three recording transactions, two of touches, the outbox relay, matching, and questions. */
  DATABASE_CONNECTIONS: integer({ min: 8, max: MAX_DATABASE_CONNECTIONS, default: 10 }),
};

export type LedgerConfig = Configuration<typeof SETTINGS>;

/** @throws ConfigError naming every variable that is missing or breaks its rule */
export function readLedgerConfig(): LedgerConfig {
  return readConfig(process.env, SETTINGS);
}

/** What the migration step reads. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings('attribution-ledger'));
}
