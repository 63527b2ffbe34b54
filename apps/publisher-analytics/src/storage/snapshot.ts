import { inHotTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';

const ONE_INSTANT = 'set transaction isolation level repeatable read, read only';

/** Runs queries that all see the same instant, one at a time. The setting is sent together with the `begin`. */
export function inSnapshot<T>(pool: Pool, work: (client: ClientBase) => Promise<T>): Promise<T> {
  return inHotTransaction(pool, ONE_INSTANT, async (client) => ({ value: await work(client), closing: '' }));
}
