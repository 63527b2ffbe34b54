import { eventually } from '@truetally/testing';
import type { ServiceDatabase } from '@truetally/testing-product';
import pg from 'pg';

const SILENT_MS = 1_000;

/** A pool whose transactions are ended after a moment of silence. The caller ends it. */
export function impatientPool(database: ServiceDatabase): pg.Pool {
  const pool = new pg.Pool({
    ...database.openPool(2).options,
    idle_in_transaction_session_timeout: SILENT_MS,
  });
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Postgres has had the time to end every silent transaction that it may end. */
export async function untilAllSilent({ owner }: ServiceDatabase): Promise<void> {
  await eventually(async () => {
    const { rows } = await owner.query<{ young: number }>(
      `select count(*)::integer as young from pg_stat_activity where datname = current_database()
       and state = 'idle in transaction' and state_change > clock_timestamp() - interval '${2 * SILENT_MS} ms'`,
    );
    return rows[0]?.young === 0;
  });
}

/**
 * Again, as whoever asked does it, when a busy machine has kept the transaction waiting for its next statement: one that may not be
 * silent is ended each time.
 */
export const repeated = <T extends object>(step: () => Promise<T>) => eventually(step, { timeoutMs: 60_000 });
