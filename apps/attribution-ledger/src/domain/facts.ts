import { instantColumn } from '@truetally/contracts/attribution';
import {
  type RecordedConversionFact,
  type RecordedTouchFact,
  type SealedLedgerFact,
} from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { formatMinor } from '@truetally/kernel';
import { toInstant, toMilliseconds } from './instants.js';
import { type NewTouch, touchKey } from './decide-touches.js';
import { orderKey, unmatchedOf } from './order.js';
import type { SealedEntry } from './seal-entries.js';

/** The fact that publishes a record. */
export function conversionFact({ entry, fields, hash }: SealedEntry): RecordedConversionFact {
  const { order, deltas } = entry;
  const { currency, balances } = order;
  const money = (minor: bigint): string => formatMinor(minor, currency);
  const orNull = (minor: bigint | null): string | null => (minor === null ? null : money(minor));
  return {
    record_id: entry.recordId,
    conversion_id: order.conversionId,
    site_id: order.siteId,
    order_id: order.orderId,
    order_sequence: order.orderSequence,
    event_type: entry.eventType,
    state: order.state,
    currency,
    occurred_at: toInstant(order.occurredAt),
    purchase_occurred_at: toInstant(order.purchasedAt),
    recorded_at: toMilliseconds(fields.recorded_at ?? ''),
    revenue_delta: money(deltas.receivable),
    commissionable_delta: money(deltas.commissionable),
    tax_delta: money(-deltas.tax),
    shipping_delta: money(-deltas.shipping),
    discount_delta: money(deltas.discount),
    margin_delta: orNull(deltas.margin),
    commission_delta: money(deltas.commission),
    remaining_revenue: money(balances.receivable),
    remaining_commissionable: money(balances.commissionable),
    remaining_margin: orNull(balances.margin),
    margin_basis: order.marginBasis,
    commission: money(balances.commission),
    touch_ids: order.touchIds,
    unmatched_touch_ids: unmatchedOf(order.attribution),
    attribution_model: entry.rule.model,
    lookback_days: entry.rule.lookbackDays,
    attribution: order.attribution,
    experiment_assignment_ids: order.experimentAssignmentIds,
    reason: entry.reason,
    sequence: fields.chain_sequence ?? '',
    hash,
  };
}

/** One fact per record, in order, and the new head of each extended chain. */
export function factsOf(sealed: readonly SealedEntry[]): readonly LedgerFact[] {
  const heads = new Map<string, SealedEntry>();
  const facts: LedgerFact[] = [];
  for (const one of sealed) {
    const { siteId, orderId } = one.entry.order;
    heads.set(siteId, one);
    facts.push({
      topic: TOPICS.conversionsRecorded.name,
      key: orderKey(siteId, orderId),
      value: JSON.stringify(conversionFact(one)),
      headers: { 'content-type': 'application/json', 'fact-id': one.entry.recordId },
    });
  }
  for (const [siteId, { fields, hash }] of heads) {
    const head: SealedLedgerFact = {
      site_id: siteId,
      sequence: fields.chain_sequence ?? '',
      hash,
      recorded_at: toMilliseconds(fields.recorded_at ?? ''),
    };
    facts.push({
      topic: TOPICS.ledgerSealed.name,
      key: siteId,
      value: JSON.stringify(head),
      headers: { 'content-type': 'application/json', 'fact-id': `${siteId}:${fields.chain_sequence ?? ''}` },
    });
  }
  return facts;
}

export interface LedgerFact {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The fact that publishes a new touch. */
export function touchFact({ id, siteId, touch, recordedAt }: NewTouch): LedgerFact {
  const fact: RecordedTouchFact = {
    id,
    site_id: siteId,
    touch_id: touch.touch_id,
    provider: touch.provider,
    direction: touch.direction,
    partner_id: touch.partner_id,
    landing_path: touch.landing_path,
    occurred_at: toInstant(instantColumn(touch.occurred_at)),
    provenance: touch.provenance,
    session_id: touch.session_id,
    recorded_at: toMilliseconds(recordedAt),
  };
  return {
    topic: TOPICS.touchesRecorded.name,
    key: touchKey(siteId, touch.touch_id),
    value: JSON.stringify(fact),
    headers: { 'content-type': 'application/json', 'fact-id': id },
  };
}
