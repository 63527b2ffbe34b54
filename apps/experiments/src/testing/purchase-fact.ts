import { randomUUID } from 'node:crypto';
import type { RecordedConversionFact } from '@truetally/contracts/facts';

const CENTS = 100;

/** The ledger's fact of a purchase that names some assignments. */
export function purchaseFact(
  siteId: string,
  {
    orderId,
    assignmentIds,
    at,
    cents,
  }: {
    readonly orderId: string;
    readonly assignmentIds: readonly string[];
    /** ISO 8601 UTC: when it happened. */
    readonly at: string;
    readonly cents: number;
  },
): RecordedConversionFact {
  const amount = (cents / CENTS).toFixed(2);
  return {
    record_id: randomUUID(),
    conversion_id: randomUUID(),
    site_id: siteId,
    order_id: orderId,
    order_sequence: 1,
    event_type: 'purchase',
    state: 'recorded',
    currency: 'EUR',
    occurred_at: at,
    purchase_occurred_at: at,
    recorded_at: new Date().toISOString(),
    revenue_delta: amount,
    commissionable_delta: amount,
    tax_delta: '0.00',
    shipping_delta: '0.00',
    discount_delta: '0.00',
    margin_delta: null,
    commission_delta: '0.00',
    remaining_revenue: amount,
    remaining_commissionable: amount,
    remaining_margin: null,
    margin_basis: null,
    commission: '0.00',
    touch_ids: [],
    unmatched_touch_ids: [],
    attribution_model: 'linear',
    lookback_days: null,
    attribution: [],
    experiment_assignment_ids: assignmentIds,
    reason: null,
    sequence: '1',
    hash: '0'.repeat(64),
  };
}
