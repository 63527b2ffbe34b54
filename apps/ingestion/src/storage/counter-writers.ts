import type { ClientBase } from 'pg';

/** More than Postgres ever has connections; beyond it a connection has its own process id, which is larger mostly. */
const MAX_WRITERS = 1_000;
/** The lowest number that no other connection has: the lock on it is the session's, and ends with it. */
const TAKE = `
  select coalesce(
    (select n from generate_series(1, ${MAX_WRITERS}) n
     where pg_try_advisory_lock(hashtext(current_schema() || '.event_counts'), n) limit 1),
    pg_backend_pid()) as writer`;

/**
 * Each connection counts in rows of its own, so that storing transactions never wait for one another's counters. It has
 * the lowest number that is free, not one that only it ever had: pools open and drop connections all day, and each
 * number leaves a row for every site and hour.
 */
export class CounterWriters {
  private readonly numbers = new WeakMap<ClientBase, number>();

  /** The number of a connection, which it keeps for as long as it lives. */
  async of(client: ClientBase): Promise<number> {
    const known = this.numbers.get(client);
    if (known !== undefined) return known;
    const { rows } = await client.query<{ writer: number }>(TAKE);
    const [taken] = rows;
    if (taken === undefined) throw new Error('Postgres gives no number to count under.');
    this.numbers.set(client, taken.writer);
    return taken.writer;
  }
}
