import {
  comparedSchema,
  type Configuration,
  ConfigError,
  databaseConnections,
  integer,
  list,
  migrationSettings,
  readConfig,
  serviceSettings,
  text,
  url,
  verificationSettings,
} from '@truetally/platform';

const SERVICE = 'analytics';
/** As ingestion, whose events they are. Reports by Postgres read its rows, and look back for 31 days at least. */
const RETENTION_DAYS = integer({ min: 1, max: 3_650, default: 400 });
const LEAST_DAYS_IN_POSTGRES = 31;
/** The longest window of a report. */
const LONGEST_DAYS = 3_660;

/** Where what was seen is stored and asked. */
const STORE = {
  ANALYTICS_STORE: text({
    default: 'postgres',
    pattern: /^(postgres|clickhouse)$/,
    rule: 'postgres or clickhouse',
  }),
  /** With the user, its password, and the database as its path. */
  CLICKHOUSE_URL: { ...url({ protocols: ['http:', 'https:'] }), fallback: () => '' },
};

const SETTINGS = {
  ...serviceSettings(SERVICE),
  /** Two for facts, the others for reports. */
  DATABASE_CONNECTIONS: databaseConnections({ least: 3, usual: 8 }),
  EVENT_RETENTION_DAYS: RETENTION_DAYS,
  ...STORE,
};

export type AnalyticsConfig = Configuration<typeof SETTINGS>;

/** @throws ConfigError naming every variable that is missing or invalid */
export function readAnalyticsConfig(environment: NodeJS.ProcessEnv = process.env): AnalyticsConfig {
  return withRetention(withStore(readConfig(environment, SETTINGS)));
}

/** Settings of the verification. */
export function readVerificationConfig() {
  return withRetention(
    withStore(
      readConfig(process.env, {
        ...verificationSettings(SERVICE),
        EVENT_RETENTION_DAYS: RETENTION_DAYS,
        INGESTION_SCHEMA: comparedSchema(),
        LEDGER_SCHEMA: comparedSchema(),
        ...STORE,
      }),
    ),
  );
}

/** Settings of the migration step. */
export function readMigrationConfig(environment: NodeJS.ProcessEnv = process.env) {
  const config = withStore(
    readConfig(environment, {
      ...migrationSettings(SERVICE),
      ...STORE,
      /** By which ClickHouse reaches Kafka. */
      CLICKHOUSE_KAFKA_BROKERS: list({ default: [] }),
      /** Before topics and groups, as the services have it. */
      KAFKA_TOPIC_PREFIX: text({
        default: '',
        pattern: /^[A-Za-z0-9._-]{0,100}$/,
        rule: 'a prefix of topics',
      }),
      CLICKHOUSE_RETENTION_DAYS: integer({ min: 31, max: LONGEST_DAYS, default: LONGEST_DAYS }),
    }),
  );
  if (config.ANALYTICS_STORE === 'clickhouse' && config.CLICKHOUSE_KAFKA_BROKERS.length === 0) {
    throw new ConfigError(['CLICKHOUSE_KAFKA_BROKERS is missing; ANALYTICS_STORE=clickhouse needs it']);
  }
  return config;
}

/** @throws ConfigError for ClickHouse without its address */
function withStore<T extends Configuration<typeof STORE>>(config: T): T {
  if (config.ANALYTICS_STORE === 'clickhouse' && config.CLICKHOUSE_URL === '') {
    throw new ConfigError(['CLICKHOUSE_URL is missing; ANALYTICS_STORE=clickhouse needs it']);
  }
  return config;
}

interface Kept {
  readonly ANALYTICS_STORE: string;
  readonly EVENT_RETENTION_DAYS: number;
}

/** @throws ConfigError for reports that would lose their events */
function withRetention<T extends Kept>(config: T): T {
  if (config.ANALYTICS_STORE === 'postgres' && config.EVENT_RETENTION_DAYS < LEAST_DAYS_IN_POSTGRES) {
    throw new ConfigError([
      `EVENT_RETENTION_DAYS must be at least ${LEAST_DAYS_IN_POSTGRES} unless ANALYTICS_STORE is clickhouse: reports read these events`,
    ]);
  }
  return config;
}
