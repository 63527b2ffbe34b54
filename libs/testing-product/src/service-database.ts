import { createPool, migrate, type MigrationConstructor } from '@truetally/persistence';
import { nameTestDatabase } from '@truetally/testing';
import type { Pool } from 'pg';

/** The service whose database a test opens. */
export interface ServiceDatabaseOptions {
  /** Begins the names of schema and role. */
  readonly name: string;
  readonly migrations: readonly MigrationConstructor[];
  /** Default: the test run's. */
  readonly ownerUrl?: string | undefined;
  /** Whether the service's connections pipeline. Default: they do not. */
  readonly pipeline?: boolean;
}

/** A service's tables in a schema of their own. */
export interface ServiceDatabase {
  readonly schema: string;
  /** As the service's own role. */
  readonly url: string;
  /** As the owner, to look at what was stored. */
  readonly owner: Pool;
  /** One more pool of the service's role, as each of its processes has one. */
  openPool(max: number): Pool;
  /** How many of the service's connections wait for a lock that another transaction has. */
  countWaiting(): Promise<number>;
  /** Ends every pool. */
  close(): Promise<void>;
}

const OWNER_CONNECTIONS = 2;
/** Tests call at once what a service repeats where it gets no connection in time, which on a busy machine is soon over. */
export const PATIENT_CONNECT_MS = 120_000;

/** Migrates a schema and a role of their own, and opens pools on them. */
export async function openServiceDatabase({
  name,
  migrations,
  ownerUrl,
  pipeline = false,
}: ServiceDatabaseOptions): Promise<ServiceDatabase> {
  const database = nameTestDatabase(name, ownerUrl);
  const { schema, role, rolePassword, url } = database;
  await migrate({ url: database.ownerUrl, schema, role, rolePassword, migrations });
  const pools: Pool[] = [];
  const open = (poolUrl: string, applicationName: string, max: number): Pool => {
    const isService = poolUrl === url;
    const pool = createPool({ url: poolUrl, schema, applicationName, max, pipeline: pipeline && isService });
    pool.options.connectionTimeoutMillis = PATIENT_CONNECT_MS;
    // An owner's transaction waits for what a test does beside it, however long a busy machine takes for that.
    if (!isService) pool.options.idle_in_transaction_session_timeout = 0;
    pools.push(pool);
    return pool;
  };
  const owner = open(database.ownerUrl, 'test-owner', OWNER_CONNECTIONS);
  return {
    schema,
    url,
    owner,
    openPool: (max) => open(url, 'test-replica', max),
    // Other suites share the database, and none has this role.
    countWaiting: async () => {
      const { rowCount } = await owner.query(
        `select from pg_stat_activity where usename = $1 and wait_event_type = 'Lock'`,
        [role],
      );
      return rowCount ?? 0;
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}
