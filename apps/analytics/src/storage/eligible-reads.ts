import type { AskEligibleSessions } from '@truetally/contracts/analytics';
import type { ClientBase } from 'pg';

const FIRST = `
  select (extract(epoch from occurred_at) * 1000)::float8 as at from touches
  where site_id = $1 order by occurred_at limit 1`;
/** One touch meets the whole eligibility; an empty list is met by any. */
const meets = (touch: string): string => `(cardinality($2::text[]) = 0 or ${touch}.provider = any($2))
  and (cardinality($3::text[]) = 0 or ${touch}.partner_id = any($3))`;
const BY_DAY = `
  select width_bucket(first.at, $4::timestamptz[]) as day, count(*)::float8 as sessions
  from (
    select min(t.occurred_at) as at from touches t
    where t.site_id = $1 and t.session_key is not null
      and t.occurred_at >= ($4::timestamptz[])[1] and t.occurred_at < $5 and ${meets('t')}
      and not exists (select from touches e where e.site_id = t.site_id and e.session_key = t.session_key
        and e.occurred_at < ($4::timestamptz[])[1] and ${meets('e')})
    group by t.session_key) first
  group by 1`;

/** In milliseconds since 1970, of any touch of the site. */
export async function firstTouchOf(client: ClientBase, siteId: string): Promise<number | undefined> {
  const { rows } = await client.query<{ at: number }>(FIRST, [siteId]);
  return rows[0]?.at;
}

/**
 * Sessions by the day, from 1, of their first touch that meets the eligibility.
 * @param starts of the days, and the end of the last one
 */
export async function eligibleByDay(
  client: ClientBase,
  { site_id, providers, partner_ids }: AskEligibleSessions,
  starts: readonly string[],
): Promise<ReadonlyMap<number, number>> {
  const values = [site_id, providers, partner_ids, starts.slice(0, -1), starts.at(-1)];
  const { rows } = await client.query<{ day: number; sessions: number }>(BY_DAY, values);
  return new Map(rows.map(({ day, sessions }) => [day, sessions]));
}
