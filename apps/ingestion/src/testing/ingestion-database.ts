import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import type pg from 'pg';
import { type CatalogOptions, PartitionCatalog } from '../storage/partition-catalog.js';
import { PartitionFilters } from '../storage/partition-filters.js';
import { EventStore, type StoreObserver } from '../storage/event.store.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';

const SECONDS_PER_DAY = 86_400;
const POOL_SIZE = 4;

/** One replica of the service as far as storing goes: pool, catalog and store of its own. */
export interface Replica {
  readonly pool: pg.Pool;
  readonly catalog: PartitionCatalog;
  readonly filters: PartitionFilters;
  readonly store: EventStore;
}

export interface IngestionDatabase extends ServiceDatabase {
  replica(options?: Partial<CatalogOptions> & { observer?: Partial<StoreObserver> }): Replica;
}

/** A separate migrated schema, on the test run's Postgres or on another. */
export async function openIngestionDatabase(ownerUrl?: string): Promise<IngestionDatabase> {
  const database = await openServiceDatabase({ name: 'ingestion', migrations: MIGRATIONS, ownerUrl });
  return {
    ...database,
    replica: ({ observer, ...options } = {}) => {
      const pool = database.openPool(POOL_SIZE);
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
  };
}

const SILENT: StoreObserver = {
  stored: () => undefined,
  lookedUp: () => undefined,
  collided: () => undefined,
};
