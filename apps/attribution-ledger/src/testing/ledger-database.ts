import { createPool, migrate } from '@truetally/persistence';
import { dropSchemas, testStack, uniqueName, urlOfRole } from '@truetally/testing';
import type pg from 'pg';
import { LedgerStore } from '../storage/ledger.store.js';
import { MIGRATIONS } from '../storage/migrations/index.js';
import { OrderStore } from '../storage/order.store.js';
import { RuleStore } from '../storage/rule.store.js';
import { TouchStore } from '../storage/touch.store.js';

const POOL_SIZE = 4;

/** One replica of the service as far as storing goes: a pool and stores of its own. */
export interface Replica {
  readonly pool: pg.Pool;
  readonly ledger: LedgerStore;
  readonly touches: TouchStore;
  readonly rules: RuleStore;
  readonly orders: OrderStore;
  /** Races lost so far. */
  lostRaces(): number;
}

export interface LedgerDatabase {
  readonly schema: string;
  /** As the service's own role. */
  readonly url: string;
  /** As the owner, to look at what was stored. */
  readonly owner: pg.Pool;
  replica(): Replica;
  close(): Promise<void>;
}

/** A migrated schema of its own, on the test run's Postgres or on another. */
export async function openLedgerDatabase(
  ownerUrl: string = testStack().databaseUrl,
): Promise<LedgerDatabase> {
  const schema = uniqueName('ledger');
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
    replica: () => {
      const pool = createPool({ url, schema, applicationName: 'test-replica', max: POOL_SIZE });
      pools.push(pool);
      let lost = 0;
      const observer = { recorded: () => undefined, lostRace: () => void (lost += 1) };
      return {
        pool,
        ledger: new LedgerStore(pool, observer),
        touches: new TouchStore(pool, observer.lostRace),
        rules: new RuleStore(pool),
        orders: new OrderStore(pool),
        lostRaces: () => lost,
      };
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await dropSchemas(ownerUrl, [{ schema, role }]);
    },
  };
}
