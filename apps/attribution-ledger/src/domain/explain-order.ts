import type {
  Attribution,
  CommissionEntry,
  EntryLine,
  MarginBasis,
  MatchedTouch,
  OrderEntry,
  OrderResource,
} from '@truetally/contracts/attribution';
import type { AttributionModel } from '@truetally/contracts/facts';
import { formatMinor } from '@truetally/kernel';
import { acceptedOf } from './answers.js';
import { entryCursor } from './entry-cursor.js';
import { toMilliseconds } from './instants.js';
import { unmatchedOf } from './order.js';
import type { OrderPage, OrderRecord } from './order-record.js';

/** The order as shown by `GET /partner-attribution/orders/{order_id}`. */
export function explainOrder(
  siteId: string,
  { purchase, last, entries }: OrderPage,
  touches: ReadonlyMap<string, MatchedTouch>,
): OrderResource {
  const now = acceptedOf(last, false);
  const attribution = explained(last, touches);
  return {
    order_id: now.order_id,
    website_id: siteId,
    currency: now.currency,
    state: now.state,
    conversion_id: now.conversion_id,
    remaining_revenue: now.remaining_revenue,
    remaining_commissionable: now.remaining_commissionable,
    // Ensured by a check constraint.
    margin_basis: purchase.margin_basis as MarginBasis | null,
    remaining_margin: money(last.margin_balance, now.currency),
    commission: money(last.commission_balance, now.currency) ?? '',
    entries: entries.filter(({ event_type }) => event_type !== 'commission').map(entryOf),
    commission_entries: entries.filter(({ event_type }) => event_type === 'commission').map(commissionOf),
    next_cursor: entryCursor(entries, last),
    matched_touches: attribution.flatMap(({ touch_id, outcome }) => {
      const touch = touches.get(touch_id);
      return outcome === 'unmatched' || touch === undefined ? [] : [touch];
    }),
    unmatched_touch_ids: unmatchedOf(attribution),
    experiment_assignment_ids: JSON.parse(purchase.experiment_assignment_ids ?? '[]') as string[],
    attribution,
  };
}

/** Nothing is recorded after a cancellation, so a touch that arrives later is matched only in the answer. */
function explained(last: OrderRecord, touches: ReadonlyMap<string, MatchedTouch>): readonly Attribution[] {
  const recorded = JSON.parse(last.attribution ?? '[]') as readonly Attribution[];
  if (last.state !== 'cancelled') return recorded;
  return recorded.map((one) =>
    one.outcome === 'unmatched' && touches.has(one.touch_id)
      ? { ...one, outcome: 'refused', reason: 'order_cancelled' }
      : one,
  );
}

function entryOf(record: OrderRecord): OrderEntry {
  const accepted = acceptedOf(record, false);
  const shown = (minor: string | null): string => money(minor, accepted.currency) ?? '';
  return {
    record_id: accepted.record_id,
    event_type: accepted.event_type,
    occurred_at: toMilliseconds(record.occurred_at ?? ''),
    recorded_at: accepted.recorded_at,
    revenue_delta: shown(record.receivable),
    commissionable_delta: shown(record.commissionable),
    tax_delta: shown(negated(record.tax)),
    shipping_delta: shown(negated(record.shipping)),
    discount_delta: shown(record.discount),
    margin_delta: money(record.margin, accepted.currency),
    commission_delta: shown(record.commission),
    reason: record.reason,
    lines: record.lines === null ? null : (JSON.parse(record.lines) as EntryLine[]),
    ...ruleOf(record),
    sequence: record.chain_sequence ?? '',
    hash: record.hash,
  };
}

function commissionOf(record: OrderRecord): CommissionEntry {
  const { record_id, recorded_at, currency } = acceptedOf(record, false);
  return {
    record_id,
    recorded_at,
    commission_delta: money(record.commission, currency) ?? '',
    ...ruleOf(record),
    sequence: record.chain_sequence ?? '',
    hash: record.hash,
  };
}

/** Ensured by check constraints. */
function ruleOf(record: OrderRecord): Pick<OrderEntry, 'attribution_model' | 'lookback_days'> {
  const { attribution_model: model, lookback_days: days } = record;
  return {
    attribution_model: model as AttributionModel | null,
    lookback_days: days === null ? null : Number(days),
  };
}

function money(minor: string | null, currency: string): string | null {
  return minor === null ? null : formatMinor(BigInt(minor), currency);
}

/** Pass-through accounts have the opposite sign of the shown amount. */
function negated(minor: string | null): string | null {
  return minor === null ? null : String(-BigInt(minor));
}
