import { inSnapshot } from '@truetally/persistence';
import { escapeIdentifier, type Pool } from 'pg';
import { observedIn } from '../domain/observed-amount.js';
import { readPurchase } from '../fold-facts/read-facts.js';
import type { WrongSum } from './product-sums.js';
import type { Unlike } from './unlike-rows.js';

const ROWS_PER_FETCH = 1_000;
/** Of a purchase that names no currency, as long as it is not kept. */
const OF_SITE = 'of the site';

/** A purchase as it is kept here, and as ingestion has its event; one of them may be lacking. */
interface Pair {
  readonly siteId: string;
  readonly key: string;
  readonly kept: readonly (boolean | string | null)[] | null;
  /** Of the kept one. */
  readonly currency: string | null;
  readonly properties: string | null;
  readonly trust: string | null;
  readonly occurredAt: string | null;
  readonly isBehind: boolean;
}

const INSTANT = (column: string): string => `(${column} at time zone 'UTC')::text`;

/**
 * An event of an erased person is no longer ingestion's, and its purchase stays in the sums. So a purchase without an event is called
 * wrong only where nobody was erased.
 */
const pairsOf = (owner: string): string => `
  select site_id as "siteId", event_id || ' ' || received_at as key,
    case when kept.currency is not null then
      json_build_array(kept.order_id, kept.currency, kept.amount::text, kept.is_from_server, ${INSTANT('kept.occurred_at')})
      end as kept,
    kept.currency, event.properties::text as properties, event.trust, ${INSTANT('event.occurred_at')} as "occurredAt",
    received_at >= $2 as "isBehind"
  from (select * from purchases where received_at >= $1) as kept
  full join (select site_id, event_id, received_at, occurred_at, trust, properties from ${owner}.events
    where event_type = 'purchase' and not is_bot and received_at >= $1) as event using (site_id, event_id, received_at)
  where site_id not in (select e.site_id from erased_sites e)
    and site_id not in (select e.site_id from ${owner}.erased_sites e)
    and (event.trust is not null or not exists (select from ${owner}.erased_people p where p.site_id = kept.site_id))`;

/**
 * Compares what observed revenue is made of with ingestion's events. For a connection that may read both schemas, as the owner of an
 * installation may.
 * @param ingestion name of ingestion's schema
 * @param since events that were stored before may be forgotten
 * @param readUntil facts of events that were stored later may be on their way
 */
export function unlikePurchases(
  pool: Pool,
  ingestion: string,
  { since, readUntil, most }: { readonly since: Date; readonly readUntil: Date; readonly most: number },
): Promise<Unlike> {
  return inSnapshot(pool, async (client) => {
    await client.query(`declare pairs no scroll cursor for ${pairsOf(escapeIdentifier(ingestion))}`, [
      since,
      readUntil,
    ]);
    const wrong: WrongSum[] = [];
    let behind = 0;
    let rows: readonly Pair[];
    do {
      ({ rows } = await client.query<Pair>(`fetch ${ROWS_PER_FETCH} from pairs`));
      for (const { siteId, key, isBehind, ...pair } of rows) {
        const [kept, computed] = [pair.kept && JSON.stringify(pair.kept), computedOf(pair)];
        if (kept === computed) continue;
        if (kept === null && isBehind) behind += 1;
        else if (wrong.length < most) wrong.push({ table: 'purchases', siteId, key, kept, computed });
      }
    } while (rows.length === ROWS_PER_FETCH);
    return { wrong, behind };
  });
}

/** What should be kept; null for no purchase. One that names no currency is in that of its site when its event was read. */
function computedOf({
  currency: kept,
  properties,
  trust,
  occurredAt,
}: Pick<Pair, 'currency' | 'occurredAt' | 'properties' | 'trust'>): string | null {
  const told = properties === null ? undefined : readPurchase(JSON.parse(properties));
  if (told === undefined) return null;
  const currency = told.currency ?? kept ?? OF_SITE;
  const amount = String(observedIn(currency, told.amount));
  return JSON.stringify([told.orderId, currency, amount, trust === 'server', occurredAt]);
}
