import {
  LEDGER_ACCOUNTS,
  type LedgerAccount,
  type SealedFields,
  sealOf,
} from '@truetally/contracts/attribution';
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
  const { order, asked, rule } = entry;
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
    ...amountColumns((account) => account, entry.deltas),
    ...amountColumns((account) => `${account}_balance` as const, order.balances),
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

function amountColumns<N extends string>(
  nameOf: (account: LedgerAccount) => N,
  amounts: Entry['deltas'],
): Readonly<Record<N, string | null>> {
  const columns = LEDGER_ACCOUNTS.map((account) => {
    const amount = amounts[account];
    return [nameOf(account), amount === null ? null : String(amount)];
  });
  // One column per account, with its derived name.
  return Object.fromEntries(columns) as Record<N, string | null>;
}
