import { MAX_HISTORY, MAX_HISTORY_COUNT, type SettlementState } from '@truetally/contracts/publisher';
import type { Pool } from 'pg';
import { toState } from './settlement-resources.js';
import {
  SETTLEMENT_COLUMNS,
  type SettlementRecord,
  STATE_COLUMNS,
  type StateRecord,
} from './settlement-rows.js';

/** Of the histories of a page, as JSON: an answer is at most one message, and several are in memory at a time. */
const PAGE_BYTES = 1024 * 1024;
/** Of a state without its order reference, as JSON. */
const STATE_BYTES = 350;
/** A control character is six characters in JSON. */
const MOST_BYTES_OF_CHARACTER = 6;

const ASKED =
  'unnest($1::uuid[], $2::timestamptz[]) with ordinality as asked (settlement_id, current_at, place)';
const FORMER = `from settlement_states s
  where s.settlement_id = asked.settlement_id and s.updated_at < asked.current_at`;
/**
 * The newest former states of each settlement, of as many settlements as fit: the sum counts the states of a
 * settlement as one. `cut` is the place of the first one that does not fit.
 */
const NEWEST_STATES = `
  with newest as (
    select asked.place, s.*, sum(${STATE_BYTES} + ${MOST_BYTES_OF_CHARACTER} * coalesce(length(s.order_reference), 0))
      over (order by asked.place) as bytes
    from ${ASKED} cross join lateral (
      select s.* ${FORMER} order by s.updated_at desc limit ${MAX_HISTORY - 1}) s)
  select ${STATE_COLUMNS}, (select min(place)::integer from newest where bytes > ${PAGE_BYTES}) as cut
  from newest s where bytes <= ${PAGE_BYTES} order by s.place, s.updated_at`;
const COUNTS = `
  select asked.settlement_id, counted.count::integer as count
  from ${ASKED} cross join lateral (
    select count(*) from (select ${FORMER} limit ${MAX_HISTORY_COUNT - 1}) as former) counted`;

/** A settlement's states before the current one. */
export interface FormerStates {
  /** The newest ones, oldest first. */
  readonly states: readonly SettlementState[];
  /** Counted up to `MAX_HISTORY_COUNT` with the current one. */
  readonly count: number;
}

/**
 * The former states of a page of settlements, by id.
 * @returns also of how many of them, in their order: the first one always fits
 */
export async function formerStates(
  pool: Pool,
  settlements: readonly Pick<SettlementRecord, 'settlement_id' | 'updated_at'>[],
): Promise<{ readonly histories: ReadonlyMap<string, FormerStates>; readonly fitting: number }> {
  const { rows } = await pool.query<StateRecord & { readonly cut: number | null }>(
    NEWEST_STATES,
    namesOf(settlements),
  );
  const states = new Map<string, SettlementState[]>();
  for (const row of rows) {
    const known = states.get(row.settlement_id);
    if (known === undefined) states.set(row.settlement_id, [toState(row)]);
    else known.push(toState(row));
  }
  const longer = settlements.filter(({ settlement_id: id }) => states.get(id)?.length === MAX_HISTORY - 1);
  const counts = await countsOf(pool, longer);
  return {
    histories: new Map(
      [...states].map(([id, known]) => [id, { states: known, count: counts.get(id) ?? known.length }]),
    ),
    // Places begin with 1.
    fitting: (rows[0]?.cut ?? settlements.length + 1) - 1,
  };
}

async function countsOf(
  pool: Pool,
  settlements: readonly Pick<SettlementRecord, 'settlement_id' | 'updated_at'>[],
): Promise<ReadonlyMap<string, number>> {
  if (settlements.length === 0) return new Map();
  const { rows } = await pool.query<{ readonly settlement_id: string; readonly count: number }>(
    COUNTS,
    namesOf(settlements),
  );
  return new Map(rows.map(({ settlement_id, count }) => [settlement_id, count]));
}

function namesOf(settlements: readonly Pick<SettlementRecord, 'settlement_id' | 'updated_at'>[]) {
  return [settlements.map((one) => one.settlement_id), settlements.map((one) => one.updated_at)];
}

const CURRENT = `select ${SETTLEMENT_COLUMNS} from settlements s
  where s.settlement_id = $1 and s.site_id = $2 and s.provider = $3`;
const STATES_BEFORE = `
  select ${STATE_COLUMNS} from settlement_states s
  where s.settlement_id = $1 and s.updated_at < $2 order by s.updated_at desc limit $3`;

/** The place of a settlement among others: ids of other sites find nothing. */
export interface AskedHistory {
  readonly siteId: string;
  readonly provider: string;
  readonly settlementId: string;
}

/**
 * A page of a settlement's states, newest first.
 * @param before the time of the page before; null for the first page
 * @returns undefined for an unknown settlement
 */
export async function historyPage(
  pool: Pool,
  { siteId, provider, settlementId }: AskedHistory,
  limit: number,
  before: string | null,
): Promise<{ readonly states: readonly SettlementState[]; readonly next: string | null } | undefined> {
  const { rows } = await pool.query<SettlementRecord>(CURRENT, [settlementId, siteId, provider]);
  const [current] = rows;
  if (current === undefined) return undefined;
  const first = before === null ? [current] : [];
  const former = await pool.query<StateRecord>(STATES_BEFORE, [
    settlementId,
    before ?? current.updated_at,
    limit + 1 - first.length,
  ]);
  const found: readonly StateRecord[] = [...first, ...former.rows];
  const page = found.slice(0, limit);
  const next = found.length > limit ? page.at(-1)?.updated_at : undefined;
  return { states: page.map(toState), next: next ?? null };
}
