import type { Attribution } from '@truetally/contracts/attribution';
import { parseInstant } from '@truetally/kernel';
import type pg from 'pg';
import { toInstant } from '../domain/instants.js';
import { partnerTerm, providerTerm, touchTerm } from '../domain/order-terms.js';
import type { StoredRecord } from './check-ledger.js';

/** Rows of the index as they are, and as these records of one site demand them, each as sorted text. */
export async function orderIndexOf(
  pool: pg.Pool,
  siteId: string,
  records: readonly StoredRecord[],
): Promise<{ readonly found: readonly string[]; readonly demanded: readonly string[] }> {
  const orders = await pool.query<Record<string, unknown>>(
    'select conversion_id, order_id, newest_first::text, currency, state, entry_count from orders where site_id = $1',
    [siteId],
  );
  const terms = await pool.query<Record<string, unknown>>(
    'select conversion_id, order_id, newest_first::text, term from order_terms where site_id = $1',
    [siteId],
  );
  const touches = await pool.query<{ touch_id: string; provider: string; partner_id: string | null }>(
    'select touch_id, provider, partner_id from touches where site_id = $1',
    [siteId],
  );
  const byTouch = new Map(touches.rows.map((row) => [row.touch_id, row]));
  const byOrder = Map.groupBy(records, ({ order_id }) => order_id ?? '');
  const demanded = [...byOrder.values()].flatMap((ofOrder) => {
    const [first] = ofOrder;
    const last = ofOrder.at(-1);
    if (first === undefined || last === undefined) return [];
    const place = {
      conversion_id: first.conversion_id,
      order_id: first.order_id,
      newest_first: String(-microsOf(first.occurred_at ?? '')),
    };
    const named = JSON.parse(first.touch_ids ?? '[]') as string[];
    const attribution = JSON.parse(last.attribution ?? '[]') as Attribution[];
    const sharing = attribution.flatMap(({ touch_id, outcome }) => {
      const touch = outcome === 'attributed' ? byTouch.get(touch_id) : undefined;
      if (touch === undefined) return [];
      const { provider, partner_id } = touch;
      return [providerTerm(provider), ...(partner_id === null ? [] : [partnerTerm(provider, partner_id)])];
    });
    const entry_count = ofOrder.filter(({ event_type }) => event_type !== 'commission').length;
    return [
      { ...place, currency: first.currency, state: last.state, entry_count },
      ...[...new Set([...named.map(touchTerm), ...sharing])].map((term) => ({ ...place, term })),
    ];
  });
  return { found: sorted([...orders.rows, ...terms.rows]), demanded: sorted(demanded) };
}

function microsOf(column: string): bigint {
  const instant = parseInstant(toInstant(column));
  if (instant === undefined) throw new Error(`${column} is no instant.`);
  return BigInt(instant.epochMs) * 1_000n + BigInt(instant.subMillisecond.padEnd(3, '0'));
}

function sorted(rows: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
