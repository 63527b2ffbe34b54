import { inSnapshot } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';

import { NONE_BEFORE } from '../storage/sum-writes.js';
import { NOT_ERASED, type WrongSum, wrongProductSums } from './product-sums.js';

const QUARTER_SECONDS = 900;
const QUARTER = `floor(extract(epoch from occurred_at) / ${QUARTER_SECONDS})::integer`;

/** Quarters that begin from then on; events of earlier ones may be forgotten. */
const SINCE_QUARTER = `ceil(extract(epoch from $2::timestamptz) / ${QUARTER_SECONDS})::integer`;
const SEEN = `from events where not is_bot and ${QUARTER} >= ${SINCE_QUARTER}`;

/** Each compares what is kept with what the rows below make of it. */
const COMPARISONS: readonly (readonly [table: string, kept: string, computed: string])[] = [
  [
    'event_sums',
    `select site_id, quarter || ' ' || event_type as key, events::text as value from event_sums
     where events <> 0 and quarter >= ${SINCE_QUARTER}`,
    `select site_id, ${QUARTER} || ' ' || event_type, count(*)::text ${SEEN}
     group by site_id, ${QUARTER}, event_type`,
  ],
  [
    'session_quarters',
    `select site_id, session_key || ' ' || quarter as key, '1' as value from session_quarters
     where is_counted and quarter >= ${SINCE_QUARTER}`,
    `select distinct site_id, session_key || ' ' || ${QUARTER}, '1' ${SEEN}`,
  ],
  [
    'session_spans',
    `select site_id, quarter || ' ' || previous as key, sessions::text as value from session_spans
     where sessions <> 0 and $2::timestamptz is not null`,
    `select site_id, quarter || ' ' || previous, count(*)::text from (
       select site_id, quarter,
         coalesce(lag(quarter) over (partition by site_id, session_key order by quarter), ${NONE_BEFORE}) as previous
       from session_quarters where is_counted) seen
     group by site_id, quarter, previous`,
  ],
  [
    'purchases',
    `select site_id, event_id || ' ' || received_at as key, occurred_at::text as value from purchases where occurred_at >= $2`,
    `select site_id, event_id || ' ' || received_at, occurred_at::text from events
     where event_type = 'purchase' and not is_bot and occurred_at >= $2`,
  ],
];

export interface Verification {
  /** Sums of earlier events are not compared: the events themselves may be forgotten. */
  readonly since: Date;
  /** Baskets of this UTC day since 1970, and of later ones, are all kept. */
  readonly basketsSince: number;
  /** Differences of each table that are returned. */
  readonly most: number;
  /** Whether events are kept here; otherwise only what is made of baskets is compared. Default: they are. */
  readonly keepsEvents?: boolean;
}

/** Recomputes every sum from its rows, at one instant. */
export function verifySums(
  pool: Pool,
  { since, basketsSince, most, keepsEvents = true }: Verification,
): Promise<readonly WrongSum[]> {
  return inSnapshot(pool, async (client) => {
    const wrong: WrongSum[] = [];
    for (const comparison of keepsEvents ? COMPARISONS : [])
      wrong.push(...(await compare(client, comparison, since, most)));
    return [...wrong, ...(await wrongProductSums(client, basketsSince, most))];
  });
}

async function compare(
  client: ClientBase,
  [table, kept, computed]: (typeof COMPARISONS)[number],
  since: Date,
  most: number,
): Promise<readonly WrongSum[]> {
  const { rows } = await client.query<Omit<WrongSum, 'table'>>(
    `select site_id as "siteId", key, kept.value as kept, computed.value as computed
     from (${kept}) kept full join (${computed}) as computed (site_id, key, value) using (site_id, key)
     where kept.value is distinct from computed.value and ${NOT_ERASED} limit $1`,
    [most, since],
  );
  return rows.map((row) => ({ table, ...row }));
}
