import type { Pool } from 'pg';

export interface HourPosition {
  readonly hourMs: number;
  readonly siteId: string;
}

export interface HourCounts extends HourPosition {
  readonly received: number;
  readonly stored: number;
  readonly deduplicated: number;
  readonly failed: number;
  readonly erased: number;
  readonly rows: number;
}

export interface HoursQuery {
  readonly siteId: string | null;
  /** Whole hours. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly after: HourPosition | null;
  readonly limit: number;
}

/** One snapshot for both sides: a concurrent commit is in neither or in both. */
const HOURS = `
  with counted as (
    select site_id, hour, sum(received) as received, sum(stored) as stored,
      sum(deduplicated) as deduplicated, sum(failed) as failed, sum(erased) as erased
    from event_counts
    where hour >= to_timestamp($1) and hour < to_timestamp($2) and ($3::uuid is null or site_id = $3)
    group by site_id, hour
  ), present as (
    select site_id, date_trunc('hour', received_at, 'UTC') as hour, count(*) as rows
    from events
    where received_at >= to_timestamp($1) and received_at < to_timestamp($2) and ($3::uuid is null or site_id = $3)
    group by 1, 2
  )
  select (extract(epoch from hour) * 1000)::float8 as "hourMs", site_id as "siteId",
    coalesce(received, 0)::float8 as received, coalesce(stored, 0)::float8 as stored,
    coalesce(deduplicated, 0)::float8 as deduplicated, coalesce(failed, 0)::float8 as failed,
    coalesce(erased, 0)::float8 as erased, coalesce(rows, 0)::float8 as rows
  from counted full join present using (site_id, hour)
  where $4::float8 is null or (hour, site_id) > (to_timestamp($4), $5::uuid)
  order by hour, site_id
  limit $6`;

const MS_PER_SECOND = 1_000;

export class ReconciliationStore {
  constructor(private readonly pool: Pool) {}

  /** Hours of sites after a position, in the order of hours and sites. */
  async page({ siteId, fromMs, toMs, after, limit }: HoursQuery): Promise<readonly HourCounts[]> {
    const beginMs = Math.max(fromMs, after?.hourMs ?? fromMs);
    const { rows } = await this.pool.query<HourCounts>(HOURS, [
      beginMs / MS_PER_SECOND,
      toMs / MS_PER_SECOND,
      siteId,
      after === null ? null : after.hourMs / MS_PER_SECOND,
      after?.siteId ?? null,
      limit,
    ]);
    return rows;
  }
}
