import type { ClientBase } from 'pg';

/**
 * More than Postgres ever has connections; above it a connection uses its own process id, which is usually
 * larger.
 */
const MAX_WRITERS = 1_000;
/** The lowest unused number; its lock belongs to the session, and ends with it. */
const TAKE = `
  select coalesce(
    (select n from generate_series(1, ${MAX_WRITERS}) n
     where pg_try_advisory_lock(hashtext(current_schema() || '.event_counts'), n) limit 1),
    pg_backend_pid()) as writer`;

/**
 * Each connection counts in rows of its own, so that storing transactions never wait for one another's
 * counters. It uses the lowest free number instead of a unique one: pools open and close connections all day,
 * and each number leaves a row for every site and hour.
 */
export class CounterWriters {
  private readonly numbers = new WeakMap<ClientBase, number>();

  /** The number of a connection, for as long as it lives. */
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
