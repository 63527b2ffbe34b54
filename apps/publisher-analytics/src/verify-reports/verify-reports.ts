import type { ClientBase, Pool } from 'pg';
import { Calendar } from '../domain/calendar.js';
import { itemIdOf } from '../domain/names.js';
import { ITEM_MEASURES, TOTAL_MEASURES } from '../domain/report-changes.js';
import { recompute } from '../storage/recompute.js';

/** A stored sum that differs from its rows. */
export interface Difference {
  readonly siteId: string;
  /** Table, key and measure. */
  readonly sum: string;
  readonly kept: bigint;
  readonly computed: bigint;
}

export interface Verification {
  readonly sites: number;
  readonly sums: number;
  readonly differences: readonly Difference[];
}

type Sums = ReadonlyMap<string, bigint>;

const TOTALS = `select 'totals', level, start::text, currency, '' as item, ${texts(TOTAL_MEASURES)}
  from report_totals where site_id = $1`;
const ITEMS = `select kind, level, start::text, currency, item_id::text, ${texts(ITEM_MEASURES)}
  from report_items where site_id = $1`;

/**
 * Recomputes every report's sums from clicks and settlements, and compares them; in one snapshot, beside the
 * running service.
 */
export async function verifyReports(pool: Pool): Promise<Verification> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    // Between two fetches the rows are added up, which may be slow; nothing waits for this snapshot.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query<{ site_id: string; timezone: string }>(
      'select site_id, timezone from site_calendars order by site_id',
    );
    const differences: Difference[] = [];
    let sums = 0;
    for (const { site_id: siteId, timezone } of rows) {
      const [kept, computed] = [await keptSums(client, siteId), await computedSums(client, siteId, timezone)];
      sums += computed.size;
      differences.push(...compare(siteId, kept, computed));
    }
    await client.query('commit');
    return { sites: rows.length, sums, differences };
  } finally {
    client.release();
  }
}

function compare(siteId: string, kept: Sums, computed: Sums): readonly Difference[] {
  return [...new Set([...kept.keys(), ...computed.keys()])].sort().flatMap((sum) => {
    const [stored, anew] = [kept.get(sum) ?? 0n, computed.get(sum) ?? 0n];
    return stored === anew ? [] : [{ siteId, sum, kept: stored, computed: anew }];
  });
}

async function keptSums(client: ClientBase, siteId: string): Promise<Sums> {
  const sums = new Map<string, bigint>();
  for (const [sql, measures] of [
    [TOTALS, TOTAL_MEASURES],
    [ITEMS, ITEM_MEASURES],
  ] as const) {
    const { rows } = await client.query<string[]>({ text: sql, values: [siteId], rowMode: 'array' });
    for (const row of rows) {
      measures.forEach((measure, index) => {
        add(sums, [...row.slice(0, KEY_COLUMNS), measure], BigInt(row[KEY_COLUMNS + index] ?? '0'));
      });
    }
  }
  return sums;
}

const KEY_COLUMNS = 5;

async function computedSums(client: ClientBase, siteId: string, timeZone: string): Promise<Sums> {
  const sums = new Map<string, bigint>();
  await recompute(client, siteId, new Calendar(timeZone), (part) => {
    for (const { level, start, currency, measures } of part.totalChanges()) {
      for (const measure of TOTAL_MEASURES) {
        add(sums, ['totals', level, start, currency, '', measure], measures[measure]);
      }
    }
    for (const { level, start, currency, kind, name, measures } of part.itemChanges()) {
      for (const measure of ITEM_MEASURES) {
        add(sums, [kind, level, start, currency, itemIdOf(siteId, kind, name), measure], measures[measure]);
      }
    }
    return Promise.resolve();
  });
  return sums;
}

function add(sums: Map<string, bigint>, key: readonly string[], value: bigint): void {
  if (value === 0n) return;
  const name = key.join(' ');
  sums.set(name, (sums.get(name) ?? 0n) + value);
}

function texts(measures: readonly string[]): string {
  return measures.map((measure) => `${measure}::text`).join(', ');
}
