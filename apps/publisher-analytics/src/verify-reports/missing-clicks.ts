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

/** A fact that is on its way arrives meanwhile. */
const LOOKS = 10;
const LOOK_MS = 1_000;

/**
 * Compares clicks with those of their owner: sums that are right by the service's own rows lack a click whose
 * fact expired unread. For a connection that may read both schemas, as the owner of an installation may.
 * @param ingestion name of ingestion's schema
 * @param most so many of the days, the first of the first sites
 */
export async function findMissingClicks(
  pool: Pool,
  ingestion: string,
  most: number,
): Promise<readonly MissingClicks[]> {
  let missing = await look(pool, ingestion, most);
  for (let looks = 1; missing.length > 0 && looks < LOOKS; looks += 1) {
    await delay(LOOK_MS);
    missing = await look(pool, ingestion, most);
  }
  return missing;
}

async function look(pool: Pool, ingestion: string, most: number): Promise<readonly MissingClicks[]> {
  const owner = escapeIdentifier(ingestion);
  const { rows } = await pool.query<MissingClicks>(
    `select e.site_id as "siteId", to_char(date_trunc('day', e.occurred_at, 'UTC'), 'YYYY-MM-DD') as day,
       count(*)::float8 as stored, (count(*) - count(c.event_id))::float8 as missing
     from ${owner}.events e left join clicks c using (event_id)
     where e.event_type = 'partner_link_click'
       and not exists (select from parked_clicks p where p.event_id = e.event_id)
       and not exists (select from erased_sites s where s.site_id = e.site_id)
       and not exists (select from ${owner}.erased_sites s where s.site_id = e.site_id)
     group by 1, 2 having count(c.event_id) < count(*) order by 1, 2 limit $1`,
    [most],
  );
  return rows;
}
