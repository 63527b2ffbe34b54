import {
  addressBlocks,
  type Configuration,
  databaseConnections,
  migrationSettings,
  readConfig,
  serviceSettings,
  text,
} from '@truetally/platform';

const SERVICE = 'outbound';

const SETTINGS = {
  ...serviceSettings(SERVICE),
  /** Matching, claims, outcomes, the outbox relay, commands, and steps of jobs. */
  DATABASE_CONNECTIONS: databaseConnections({ least: 4, usual: 8 }),
  /** The keys that seal secrets of webhooks. */
  KEYRING_FILE: text(),
  /** Private address blocks that may be called: `10.1.0.0/16`. */
  ALLOW_PRIVATE_NETWORKS: addressBlocks(),
};

export type OutboundConfig = Configuration<typeof SETTINGS>;

/** @throws ConfigError naming every variable that is missing or invalid */
export function readOutboundConfig(environment: NodeJS.ProcessEnv = process.env): OutboundConfig {
  return readConfig(environment, SETTINGS);
}

/** Settings of the migration step. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings(SERVICE));
}
