import { createPool, migrate } from '@truetally/persistence';
import { dropSchemas, testStack, uniqueName, urlOfRole } from '@truetally/testing';
import type pg from 'pg';
import { type CatalogOptions, PartitionCatalog } from '../storage/partition.catalog.js';
import { PartitionFilters } from '../storage/partition.filters.js';
import { EventStore, type StoreObserver } from '../storage/event.store.js';
import { MIGRATIONS } from '../storage/migrations/index.js';

const SECONDS_PER_DAY = 86_400;
const POOL_SIZE = 4;

/** One replica of the service as far as storing goes: pool, catalog and store of its own. */
export interface Replica {
  readonly pool: pg.Pool;
  readonly catalog: PartitionCatalog;
  readonly filters: PartitionFilters;
  readonly store: EventStore;
}

export interface IngestionDatabase {
  readonly schema: string;
  /** As the service's own role. */
  readonly url: string;
  /** As the owner, to look at what was stored. */
  readonly owner: pg.Pool;
  replica(options?: Partial<CatalogOptions> & { observer?: Partial<StoreObserver> }): Replica;
  close(): Promise<void>;
}

/** A migrated schema of its own, on the test run's Postgres or on another. */
export async function openIngestionDatabase(
  ownerUrl: string = testStack().databaseUrl,
): Promise<IngestionDatabase> {
  const schema = uniqueName('ingestion');
  const role = `${schema}_role`;
  const rolePassword = uniqueName('password');
  await migrate({ url: ownerUrl, schema, role, rolePassword, migrations: MIGRATIONS });
  const url = urlOfRole(ownerUrl, role, rolePassword);
  const owner = createPool({ url: ownerUrl, schema, applicationName: 'test-owner', max: 2 });
  const pools: pg.Pool[] = [owner];
  return {
    schema,
    url,
    owner,
    replica: ({ observer, ...options } = {}) => {
      const pool = createPool({ url, schema, applicationName: 'test-replica', max: POOL_SIZE });
      pools.push(pool);
      const partitionSeconds = options.partitionSeconds ?? SECONDS_PER_DAY;
      const catalog = new PartitionCatalog({
        windowSeconds: 35 * SECONDS_PER_DAY,
        partitionSeconds,
        filterBytes: 1024 * 1024,
        ...options,
      });
      const store = new EventStore({
        pool,
        catalog,
        partitionSeconds,
        observer: { ...SILENT, ...observer },
      });
      return { pool, catalog, filters: new PartitionFilters(pool, catalog), store };
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await dropSchemas(ownerUrl, [{ schema, role }]);
    },
  };
}

const SILENT: StoreObserver = {
  stored: () => undefined,
  lookedUp: () => undefined,
  collided: () => undefined,
};
