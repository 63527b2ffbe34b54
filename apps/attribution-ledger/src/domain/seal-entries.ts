import { type SealedFields, sealOf } from '@truetally/contracts/attribution';
import type { InstantColumn } from './instants.js';
import type { Entry } from './order.js';

/** The head of a site's chain. */
export interface ChainHead {
  readonly sequence: bigint;
  readonly hash: string;
  /** Of its last record. */
  readonly recordedAt: InstantColumn;
}

export interface SealedEntry {
  readonly entry: Entry;
  /** Every column as it is stored. */
  readonly fields: SealedFields;
  readonly previousHash: string;
  readonly hash: string;
}

/** Appends an entry to its site's chain. */
export function sealEntry(entry: Entry, head: ChainHead, recordedAt: InstantColumn): SealedEntry {
  const fields = columnsOf(entry, head.sequence + 1n, recordedAt);
  return { entry, fields, previousHash: head.hash, hash: sealOf(head.hash, fields) };
}

export function headAfter({ fields, hash }: SealedEntry): ChainHead {
  return { sequence: BigInt(fields.chain_sequence ?? 0), hash, recordedAt: fields.recorded_at ?? '' };
}

function columnsOf(entry: Entry, sequence: bigint, recordedAt: InstantColumn): SealedFields {
  const { order, asked, rule, deltas } = entry;
  const { balances } = order;
  return {
    site_id: order.siteId,
    chain_sequence: String(sequence),
    record_id: entry.recordId,
    conversion_id: order.conversionId,
    order_id: order.orderId,
    order_sequence: String(order.orderSequence),
    event_type: entry.eventType,
    state: order.state,
    idempotency_key: asked?.idempotencyKey ?? null,
    fingerprint: asked?.fingerprint ?? null,
    currency: order.currency,
    occurred_at: order.occurredAt,
    recorded_at: recordedAt,
    receivable: String(deltas.receivable),
    merchandise: String(deltas.merchandise),
    discount: String(deltas.discount),
    tax: String(deltas.tax),
    shipping: String(deltas.shipping),
    commissionable: String(deltas.commissionable),
    cost: optional(deltas.cost),
    margin: optional(deltas.margin),
    commission: String(deltas.commission),
    memorandum: String(deltas.memorandum),
    receivable_balance: String(balances.receivable),
    merchandise_balance: String(balances.merchandise),
    discount_balance: String(balances.discount),
    tax_balance: String(balances.tax),
    shipping_balance: String(balances.shipping),
    commissionable_balance: String(balances.commissionable),
    cost_balance: optional(balances.cost),
    margin_balance: optional(balances.margin),
    commission_balance: String(balances.commission),
    memorandum_balance: String(balances.memorandum),
    margin_basis: order.marginBasis,
    margin_source: entry.marginSource,
    reason: entry.reason,
    lines: entry.lines,
    touch_ids: JSON.stringify(entry.touchIds),
    experiment_assignment_ids: JSON.stringify(entry.experimentAssignmentIds),
    attribution: JSON.stringify(order.attribution),
    request_partition: asked === null ? null : String(asked.place.partition),
    request_offset: asked?.place.offset ?? null,
    request_id: asked?.place.requestId ?? null,
    attribution_model: rule.model,
    lookback_days: rule.lookbackDays === null ? null : String(rule.lookbackDays),
  };
}

function optional(amount: bigint | null): string | null {
  return amount === null ? null : String(amount);
}
