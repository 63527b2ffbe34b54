import { fingerprintHex, uuidFromFingerprintHex } from '@truetally/kernel';
import pg from 'pg';

export interface PublisherFill {
  readonly databaseUrl: string;
  readonly schema: string;
  readonly siteId: string;
  readonly clicks: number;
  readonly say: (line: string) => void;
}

/** Three years up to and including today. */
export const FILLED_DAYS = 1_096;
export const FILLED_CONTENTS = 1_000;
export const FILLED_DESTINATIONS = 1_000;
/** One of this many clicks is settled. */
const CLICKS_PER_SETTLEMENT = 50;
const CLICKS_AT_ONCE = 1_000_000;
const WRITERS = 2;

/**
 * A click by its number: its content and time, spread evenly over the days. $1 the site, $2 and $3 the
 * numbers, $4 all of them.
 */
const NUMBERED = `
  select n, md5($1 || ':' || n)::uuid as event_id, case when n % 3 = 0 then 'cj' else 'awin' end as provider,
    date_trunc('day', now(), 'UTC') + interval '1 day' - make_interval(days => ${FILLED_DAYS})
      + make_interval(secs => 86400.0 * ${FILLED_DAYS} * (n - 1) / $4::bigint) as at,
    (hashint8(n) & 2147483647) % ${FILLED_CONTENTS} as content,
    (hashint8(n + 1000000007) & 2147483647) % ${FILLED_DESTINATIONS} as destination
  from generate_series($2::bigint, $3::bigint) as n`;
/** Network, status and amount of settled clicks. */
const SETTLED = `
  select numbered.*, n / ${CLICKS_PER_SETTLEMENT} as s, md5($1 || ':settlement:' || n)::uuid as settlement_id,
    case when n % 3 = 0 then 'USD' when n / ${CLICKS_PER_SETTLEMENT} % 5 = 0 then 'GBP' else 'EUR' end as currency,
    case n / ${CLICKS_PER_SETTLEMENT} % 10 when 0 then 'declined' when 1 then 'reversed' when 2 then 'pending'
      else 'approved' end as status,
    5000 + n % 997 as commissionable, 250 + n % 50 as commission
  from (${NUMBERED}) as numbered where n % ${CLICKS_PER_SETTLEMENT} = 0`;
const HASH = `sha256(convert_to($1 || ':' || n, 'UTF8'))`;
/** As long as a sealed reference; no keyring opens it. */
const SEALED = `decode(repeat('5e', 64), 'hex')`;

const CLICKS = `
  insert into clicks (event_id, site_id, provider, occurred_at, received_at, is_bot, campaign_id, content_id, placement_id,
    destination_host, destination_path)
  select event_id, $1::uuid, provider, at, at, false, 'autumn', 'content-' || content, 'inline', 'partner.example',
    '/offer/' || destination
  from (${NUMBERED}) as numbered`;
const REFERENCES = `
  insert into click_references (event_id, site_id, hash, key_id, sealed, counted_at)
  select event_id, $1::uuid, ${HASH}, 'fill', ${SEALED}, at from (${NUMBERED}) as numbered`;
const STATE = `null, ${HASH}, status, currency, commissionable, commission, at, at, now()`;
const STATE_COLUMNS = `order_reference, reference_hash, status, currency, commissionable, commission, transaction_at,
    updated_at, recorded_at`;
const SETTLEMENTS = `
  insert into settlements (settlement_id, site_id, provider, provider_transaction_id, ${STATE_COLUMNS})
  select settlement_id, $1::uuid, provider, 'fill-' || n, ${STATE} from (${SETTLED}) as settled`;

/** Sums cover whole days, and the months and years that contain them. */
const DAY = `(at at time zone 'UTC')::date`;
const LEVELS = `(values ('day'), ('month'), ('year')) as levels (level)`;
const START = `date_trunc(level, day)::date`;
const IS_SETTLED = `status in ('approved', 'pending')`;
const CLICK_TOTALS = `
  insert into report_totals (site_id, level, start, currency, clicks, clicks_matched)
  select $1::uuid, level, ${START}, '', sum(clicks), sum(settled) from (
    select ${DAY} as day, count(*) as clicks, count(*) filter (where n % ${CLICKS_PER_SETTLEMENT} = 0) as settled
    from (${NUMBERED}) as numbered group by 1) as days, ${LEVELS} group by level, 3`;
const STATUSES = ['pending', 'approved', 'declined', 'reversed'];
const SETTLEMENT_TOTALS = `
  insert into report_totals (site_id, level, start, currency, commissionable, with_reference, matched,
    ${STATUSES.map((status) => `${status}_count, ${status}_commission`).join(', ')})
  select $1::uuid, level, ${START}, currency, coalesce(sum(commissionable) filter (where ${IS_SETTLED}), 0), count(*), count(*),
    ${STATUSES.map((status) => {
      const those = `filter (where status = '${status}')`;
      return `count(*) ${those}, coalesce(sum(commission) ${those}, 0)`;
    }).join(', ')}
  from (select settled.*, ${DAY} as day from (${SETTLED}) as settled) as days, ${LEVELS} group by level, 3, currency`;
const NAMED = `join unnest($5::uuid[]) with ordinality as named (item_id, place) on place = item + 1`;
const CLICK_ITEMS = `
  insert into report_items (site_id, level, start, currency, kind, item_id, clicks)
  select $1::uuid, level, ${START}, '', $6, item_id, sum(clicks) from (
    select ${DAY} as day, {item} as item, count(*) as clicks from (${NUMBERED}) as numbered group by 1, 2) as days
  ${NAMED}, ${LEVELS} group by level, 3, item_id`;
const SETTLEMENT_ITEMS = `
  insert into report_items (site_id, level, start, currency, kind, item_id, orders, commission)
  select $1::uuid, level, ${START}, currency, $6, item_id, sum(orders), sum(commission) from (
    select ${DAY} as day, {item} as item, currency, count(*) as orders, sum(commission) as commission
    from (${SETTLED}) as settled where ${IS_SETTLED} group by 1, 2, 3) as days
  ${NAMED}, ${LEVELS} group by level, 3, item_id, currency`;

/**
 * Without them inserts are three times as fast; they are built at the end. The two of settlements have few
 * rows.
 */
const INDEXES = [
  ['clicks', 'clicks_pkey', 'alter table clicks add primary key (event_id)'],
  ['click_references', 'click_references_pkey', 'alter table click_references add primary key (event_id)'],
] as const;
const PLAIN_INDEXES = ['click_references_hash', 'click_references_key_id'];

/**
 * Fills a site's tables as if the service had processed everything; nothing else may arrive for any site
 * meanwhile.
 */
export async function fillPublisher(fill: PublisherFill): Promise<void> {
  const { databaseUrl, schema, siteId, clicks, say } = fill;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: WRITERS,
    options: `-c search_path=${schema} -c timezone=UTC -c synchronous_commit=off -c maintenance_work_mem=512MB -c work_mem=256MB`,
  });
  try {
    await pool.query(`insert into site_calendars (site_id, timezone) values ($1, 'UTC')`, [siteId]);
    for (const [table, name] of INDEXES) await pool.query(`alter table ${table} drop constraint ${name}`);
    const { rows: plain } = await pool.query<{ indexdef: string }>(
      'select indexdef from pg_indexes where schemaname = $1 and indexname = any($2)',
      [schema, PLAIN_INDEXES],
    );
    for (const name of PLAIN_INDEXES) await pool.query(`drop index ${name}`);
    await fillRows(pool, siteId, clicks, say);
    await inTurn(WRITERS, [
      ...INDEXES.map(
        ([, , statement]) =>
          () =>
            pool.query(statement),
      ),
      ...plain.map(
        ({ indexdef }) =>
          () =>
            pool.query(indexdef),
      ),
    ]);
    say('The indexes are built.');
    await fillSums(pool, siteId, clicks);
    say('The sums are there.');
    await pool.query('vacuum analyze clicks, click_references, settlements, settlement_states');
    await pool.query('vacuum analyze report_totals, report_items, report_names');
    await pool.query('checkpoint');
  } finally {
    await pool.end();
  }
}

async function fillRows(
  pool: pg.Pool,
  siteId: string,
  clicks: number,
  say: (line: string) => void,
): Promise<void> {
  let filled = 0;
  const parts = Math.ceil(clicks / CLICKS_AT_ONCE);
  const work = Array.from({ length: parts }, (_, part) => async () => {
    const [from, to] = [part * CLICKS_AT_ONCE + 1, Math.min((part + 1) * CLICKS_AT_ONCE, clicks)];
    const numbers = [siteId, from, to, clicks];
    for (const statement of [CLICKS, REFERENCES, SETTLEMENTS]) await pool.query(statement, numbers);
    filled += to - from + 1;
    say(`${filled} of ${clicks} clicks are there.`);
  });
  await inTurn(WRITERS, work);
}

async function fillSums(pool: pg.Pool, siteId: string, clicks: number): Promise<void> {
  const all = [siteId, 1, clicks, clicks];
  const work = [CLICK_TOTALS, SETTLEMENT_TOTALS].map((statement) => () => pool.query(statement, all));
  for (const [kind, names] of Object.entries(ITEMS)) {
    // The same names as the service's `itemIdOf`.
    const ids = names.map((name) => uuidFromFingerprintHex(fingerprintHex(['item', siteId, kind, name])));
    await pool.query(
      'insert into report_names (item_id, site_id, name) select item_id, $2, name from unnest($1::uuid[], $3::text[]) as named (item_id, name)',
      [ids, siteId, names],
    );
    for (const statement of [CLICK_ITEMS, SETTLEMENT_ITEMS]) {
      work.push(() => pool.query(statement.replaceAll('{item}', kind), [...all, ids, kind]));
    }
  }
  await inTurn(WRITERS, work);
}

const ITEMS: Readonly<Record<'content' | 'destination', readonly string[]>> = {
  content: Array.from({ length: FILLED_CONTENTS }, (_, n) => `content-${n}`),
  destination: Array.from({ length: FILLED_DESTINATIONS }, (_, n) => `partner.example/offer/${n}`),
};

async function inTurn(atOnce: number, work: (() => Promise<unknown>)[]): Promise<void> {
  const take = async (): Promise<void> => {
    for (let next = work.shift(); next !== undefined; next = work.shift()) await next();
  };
  await Promise.all(Array.from({ length: atOnce }, take));
}
