import type { ClientBase } from 'pg';
import type { Calendar } from '@truetally/kernel';
import type { SettlementVersion } from '../domain/decide-settlement.js';
import { standingOf, standingOfSettlement } from '../domain/fold-facts.js';
import { type ClickFact, ReportChanges } from '../domain/report-changes.js';
import { CLICK_COLUMNS, type ClickRow, toClickFact } from './click-rows.js';
import { SETTLEMENT_COLUMNS, type SettlementRecord, toVersion } from './settlement-rows.js';

/** Rows in memory at a time: one fetch of a cursor. */
const ROWS_PER_FETCH = 10_000;
/** Sums of days in memory at a time: a site may have a thousand contents on each of a thousand days. */
const SUMS_PER_PART = 20_000;

/**
 * Each counted click with the standing of its reference, from the rows only, independent of stored sums. The reference that an erasure
 * gave to a click without one counts nothing.
 */
const CLICKS = `
  select ${CLICK_COLUMNS}, row_number() over same = 1 as is_first,
    exists (select from settlements s where s.reference_hash = r.hash and s.provider = c.provider) as settled
  from clicks c join click_references r using (event_id) where c.site_id = $1 and not c.is_bot
    and (r.sealed is not null or r.counted_at is not null)
  window same as (partition by r.hash, c.provider order by c.received_at, c.event_id) order by c.occurred_at`;
const SETTLEMENTS = `
  select ${SETTLEMENT_COLUMNS}, named.event_id as click_id
  from settlements s left join lateral (
    select c.event_id from click_references r join clicks c using (event_id)
    where r.hash = s.reference_hash and c.provider = s.provider and not c.is_bot
    order by c.received_at, c.event_id limit 1) named on true
  where s.site_id = $1 order by s.transaction_at`;

/** Content of memory at a time. */
export interface RecomputeSizes {
  readonly sumsPerPart?: number;
  readonly rowsPerFetch?: number;
}

/**
 * Recomputes all sums from a site's rows, in parts that are to be added up. Rows come in the order of their
 * time, so that few parts have sums of the same day. In a transaction that locks the site, or has one snapshot.
 */
export async function recompute(
  client: ClientBase,
  siteId: string,
  calendar: Calendar,
  take: (part: ReportChanges) => Promise<void>,
  { sumsPerPart = SUMS_PER_PART, rowsPerFetch = ROWS_PER_FETCH }: RecomputeSizes = {},
): Promise<void> {
  let part = new ReportChanges(() => calendar);
  const takeWhole = async (): Promise<void> => {
    if (part.size < sumsPerPart) return;
    await take(part);
    part = new ReportChanges(() => calendar);
  };
  await eachRow<ClickRow & { is_first: boolean; settled: boolean }>(
    client,
    CLICKS,
    { siteId, rowsPerFetch },
    async (rows) => {
      for (const row of rows) {
        part.click(toClickFact(row), row.is_first ? standingOf({ isSettled: row.settled }) : 'repeated', 1n);
      }
      await takeWhole();
    },
  );
  await eachRow<SettlementRecord & NamedClick>(
    client,
    SETTLEMENTS,
    { siteId, rowsPerFetch },
    async (rows) => {
      const clicks = await clicksById(
        client,
        rows.flatMap((row) => row.click_id ?? []),
      );
      for (const row of rows) addSettlement(part, toVersion(row), row, clicks);
      await takeWhole();
    },
  );
  await take(part);
}

interface NamedClick {
  readonly click_id: string | null;
}

function addSettlement(
  changes: ReportChanges,
  version: SettlementVersion,
  { click_id: clickId }: NamedClick,
  known: ReadonlyMap<string, ClickFact>,
): void {
  if (version.referenceHash === null) return changes.settlement(version, undefined, undefined, 1n);
  const first = clickId === null ? undefined : known.get(clickId);
  changes.settlement(version, standingOfSettlement({ first }), first, 1n);
}

async function clicksById(
  client: ClientBase,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ClickFact>> {
  const { rows } = await client.query<ClickRow>(
    `select ${CLICK_COLUMNS} from clicks c where event_id = any($1)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.event_id, toClickFact(row)]));
}

async function eachRow<Row extends object>(
  client: ClientBase,
  sql: string,
  { siteId, rowsPerFetch }: { readonly siteId: string; readonly rowsPerFetch: number },
  take: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  await client.query(`declare rows_of_site no scroll cursor for ${sql}`, [siteId]);
  let rows: readonly Row[];
  do {
    ({ rows } = await client.query<Row>(`fetch ${rowsPerFetch} from rows_of_site`));
    await take(rows);
  } while (rows.length === rowsPerFetch);
  await client.query('close rows_of_site');
}
