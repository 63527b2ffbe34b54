import type { Pool } from 'pg';
import type { CountedIntake } from '../domain/present-intake.js';

const text = (moment: string): string =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * One statement is one snapshot: a concurrent commit is in all of these counters or in none. The newest hour with a stored
 * event has the newest event, because an event's hour is that of its storage.
 */
const READ = `
  select ${text('clock_timestamp()')} as as_of,
    (select ${text('max(last_stored_at)')} from event_counts
      where site_id = $1 and hour = (
        select hour from event_counts where site_id = $1 and last_stored_at is not null
        order by hour desc limit 1)) as last_event_at,
    (select ${text('max(last_at)')} from refusal_counts
      where site_id = $1 and hour = (
        select hour from refusal_counts where site_id = $1 order by hour desc limit 1)) as last_refused_at,
    (select coalesce(json_agg(counted), '[]') from (
      select ${text('hour')} as start, sum(received)::float8 as received, sum(stored)::float8 as stored,
        sum(deduplicated)::float8 as deduplicated, sum(failed)::float8 as failed
      from event_counts where site_id = $1 and hour >= $2 and hour < $3 group by hour) counted) as hours,
    (select coalesce(json_agg(counted), '[]') from (
      select ${text('hour')} as start, kind, code, field, sum(refused)::float8 as refused
      from refusal_counts where site_id = $1 and hour >= $2 and hour < $3
      group by hour, kind, code, field) counted) as refusals`;

export class IntakeReads {
  constructor(private readonly pool: Pool) {}

  /** @param from, to whole hours, `from` ≤ hour < `to` */
  async read(siteId: string, from: string, to: string): Promise<CountedIntake> {
    const { rows } = await this.pool.query<CountedIntake>(READ, [siteId, from, to]);
    const [row] = rows;
    if (row === undefined) throw new Error('The counters do not answer.');
    return row;
  }
}
