import { setTimeout as delay } from 'node:timers/promises';
import { escapeIdentifier, type Pool } from 'pg';

/** Clicks of a site and a day that ingestion has stored and this service lacks. */
export interface MissingClicks {
  readonly siteId: string;
  /** On which they occurred, in UTC. */
  readonly day: string;
  readonly stored: number;
  readonly missing: number;
}

/** What is missing, and whether it became less until the end: then the service reads still. */
export interface ComparedClicks {
  /** At most as many days as were asked for. */
  readonly days: readonly MissingClicks[];
  readonly isBehind: boolean;
}

export interface LookTimes {
  readonly lookMs: number;
  /** So many looks in a row that find no less. */
  readonly idleLooks: number;
  readonly mostMs: number;
}

/** A service that reads stores a transaction of clicks each second; one that starts again needs some seconds for its group. */
const TIMES: LookTimes = { lookMs: 1_000, idleLooks: 10, mostMs: 300_000 };

/**
 * Compares clicks with those of their owner: sums that are right by the service's own rows lack a click whose
 * fact expired unread. What is on its way arrives meanwhile: it looks again for as long as less is missing each time. Clicks that are
 * received later are not compared, so that it ends under load. For a connection that may read both schemas, as the owner of an
 * installation may.
 * @param ingestion name of ingestion's schema
 * @param most so many of the days, the first of the first sites
 */
export async function findMissingClicks(
  pool: Pool,
  ingestion: string,
  most: number,
  { lookMs, idleLooks, mostMs }: LookTimes = TIMES,
): Promise<ComparedClicks> {
  const { rows: times } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const until = times[0]?.now ?? new Date();
  const endsAt = performance.now() + mostMs;
  let found = await look(pool, ingestion, most, until);
  let idle = 0;
  while (found.total > 0 && idle < idleLooks && performance.now() < endsAt) {
    await delay(lookMs);
    const next = await look(pool, ingestion, most, until);
    idle = next.total < found.total ? 0 : idle + 1;
    found = next;
  }
  return { days: found.days, isBehind: found.total > 0 && idle < idleLooks };
}

async function look(
  pool: Pool,
  ingestion: string,
  most: number,
  until: Date,
): Promise<{ readonly days: readonly MissingClicks[]; readonly total: number }> {
  const owner = escapeIdentifier(ingestion);
  const { rows } = await pool.query<MissingClicks & { readonly total: number }>(
    `select e.site_id as "siteId", to_char(date_trunc('day', e.occurred_at, 'UTC'), 'YYYY-MM-DD') as day,
       count(*)::float8 as stored, (count(*) - count(c.event_id))::float8 as missing,
       (sum(count(*) - count(c.event_id)) over ())::float8 as total
     from ${owner}.events e left join clicks c using (event_id)
     where e.event_type = 'partner_link_click' and e.received_at <= $2
       and not exists (select from parked_clicks p where p.event_id = e.event_id)
       and not exists (select from erased_sites s where s.site_id = e.site_id)
       and not exists (select from ${owner}.erased_sites s where s.site_id = e.site_id)
     group by 1, 2 having count(c.event_id) < count(*) order by 1, 2 limit $1`,
    [most, until],
  );
  return {
    days: rows.map(({ siteId, day, stored, missing }) => ({ siteId, day, stored, missing })),
    total: rows[0]?.total ?? 0,
  };
}

/** Clicks that are stored and in no report, because their reference did not come within a minute of them: it may be lost. */
export async function clicksWithoutReference(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ readonly clicks: number }>(
    `select count(*)::float8 as clicks from clicks c
     where not is_bot and received_at < clock_timestamp() - interval '1 minute'
       and not exists (select from click_references r where r.event_id = c.event_id)
       and not exists (select from erased_sites s where s.site_id = c.site_id)`,
  );
  return rows[0]?.clicks ?? 0;
}
