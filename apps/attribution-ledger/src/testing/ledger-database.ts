import { randomUUID } from 'node:crypto';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import type pg from 'pg';
import { LedgerStore } from '../storage/ledger.store.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';
import { OrderStore } from '../storage/order.store.js';
import { type RuleAuthor, RuleStore } from '../storage/rule.store.js';
import { TouchStore } from '../storage/touch.store.js';

const POOL_SIZE = 4;

/** The user who creates the rules of a test. */
export const OWNER: RuleAuthor = { workspaceId: randomUUID(), actor: 'owner' };

/** One replica of the service without messaging: its own pool and stores. */
export interface Replica {
  readonly pool: pg.Pool;
  readonly ledger: LedgerStore;
  readonly touches: TouchStore;
  readonly rules: RuleStore;
  readonly orders: OrderStore;
  /** Races lost so far. */
  lostRaces(): number;
}

export interface LedgerDatabase extends ServiceDatabase {
  replica(): Replica;
}

/** A separate migrated schema, on the test run's Postgres or on another. */
export async function openLedgerDatabase(ownerUrl?: string): Promise<LedgerDatabase> {
  const database = await openServiceDatabase({
    name: 'ledger',
    migrations: MIGRATIONS,
    ownerUrl,
    pipeline: true,
  });
  return {
    ...database,
    replica: () => {
      const pool = database.openPool(POOL_SIZE);
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
  };
}
