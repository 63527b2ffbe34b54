import {
  type Configuration,
  integer,
  migrationSettings,
  programSettings,
  readConfig,
  serviceSettings,
} from '@truetally/platform';

const SECONDS_PER_DAY = 86_400;
/** The interface page guarantees thirty days (section 4). */
const MIN_WINDOW_DAYS = 30;
const MAX_DAYS = 3_650;
const MIN_FILTER_MIB = 1;
const MAX_FILTER_MIB = 1_024;

const SETTINGS = {
  ...serviceSettings('ingestion'),
  /** Length of a partition of the event table; less than an hour is for tests. */
  EVENT_PARTITION_SECONDS: integer({ min: 1, max: SECONDS_PER_DAY, default: SECONDS_PER_DAY }),
  DEDUPLICATION_WINDOW_DAYS: integer({ min: MIN_WINDOW_DAYS, max: MAX_DAYS, default: 30 }),
  /**
   * Memory for finding replays in closed partitions: 32 MiB stay precise up to some twenty million events.
   */
  DEDUPLICATION_FILTER_MIB: integer({ min: MIN_FILTER_MIB, max: MAX_FILTER_MIB, default: 32 }),
  /** Content that is kept for less than the window leaves the keys until its end. */
  EVENT_RETENTION_DAYS: integer({ min: 1, max: MAX_DAYS, default: 400 }),
};

export type IngestionConfig = Configuration<typeof SETTINGS>;

/** @throws ConfigError naming every variable that is missing or invalid */
export function readIngestionConfig(environment: NodeJS.ProcessEnv = process.env): IngestionConfig {
  return readConfig(environment, SETTINGS);
}

/** Settings of the program that publishes clicks again. */
export function readRepublishConfig() {
  return readConfig(process.env, programSettings('ingestion'));
}

/** Settings of the migration step. */
export function readMigrationConfig() {
  return readConfig(process.env, migrationSettings('ingestion'));
}
