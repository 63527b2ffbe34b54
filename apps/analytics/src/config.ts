import {
  type Configuration,
  databaseConnections,
  integer,
  migrationSettings,
  readConfig,
  serviceSettings,
  verificationSettings,
} from '@truetally/platform';

const SERVICE = 'analytics';
/** As ingestion, whose events they are. */
const RETENTION_DAYS = integer({ min: 31, max: 3_650, default: 400 });

const SETTINGS = {
  ...serviceSettings(SERVICE),
  /** One for facts, several for reports. */
  DATABASE_CONNECTIONS: databaseConnections({ least: 3, usual: 8 }),
  EVENT_RETENTION_DAYS: RETENTION_DAYS,
};

export type AnalyticsConfig = Configuration<typeof SETTINGS>;

/** @throws ConfigError naming every variable that is missing or invalid */
export function readAnalyticsConfig(environment: NodeJS.ProcessEnv = process.env): AnalyticsConfig {
  return readConfig(environment, SETTINGS);
}

/** Settings of the verification. */
export function readVerificationConfig() {
  return readConfig(process.env, {
    ...verificationSettings(SERVICE),
    EVENT_RETENTION_DAYS: RETENTION_DAYS,
  });
}

/** Settings of the migration step. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings(SERVICE));
}
