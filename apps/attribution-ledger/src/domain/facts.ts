import { instantColumn, type SealedFields } from '@truetally/contracts/attribution';
import {
  type RecordedConversionFact,
  type RecordedTouchFact,
  type SealedLedgerFact,
} from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { formatMinor } from '@truetally/kernel';
import { toInstant, toMilliseconds } from './instants.js';
import { type NewTouch, touchKey } from './decide-touches.js';
import { type Entry, orderKey, unmatchedOf } from './order.js';
import type { SealedEntry } from './seal-entries.js';

/** What the fact of a record is made of. */
export interface RecordedEntry {
  readonly entry: Pick<Entry, 'recordId' | 'eventType' | 'deltas' | 'reason' | 'rule' | 'order'>;
  readonly fields: Pick<SealedFields, 'recorded_at' | 'chain_sequence'>;
  readonly hash: string;
}

/** The fact that publishes a record. */
export function conversionFact({ entry, fields, hash }: RecordedEntry): RecordedConversionFact {
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

/** The rows of the outbox for a group: one fact per record, in order, and the new head of each extended chain. */
export function rowsOf(sealed: readonly SealedEntry[]): readonly LedgerFact[] {
  const heads = new Map(sealed.map((one) => [one.entry.order.siteId, one]));
  return [...packedFacts(sealed), ...Array.from(heads.values(), headFact)];
}

/** One fact per record, in order. A row holds as many facts of one site as fit, because a row for each costs twice as much. */
export function packedFacts(recorded: readonly RecordedEntry[]): readonly LedgerFact[] {
  const rows = new PackedFacts();
  for (const one of recorded) rows.add(one);
  return rows.all();
}

/** In characters; few need more than one byte. Postgres stores a row of this size in one page, uncompressed. */
const MAX_ROW_LENGTH = 7_500;
/** Between two facts: no text in JSON contains a line break. */
const BETWEEN = ',\n';
/** Behind the members that name a record. Within a text its quotation marks would be escaped. */
const BEHIND_NAMES = ',"order_sequence":';

class PackedFacts {
  private readonly rows: LedgerFact[] = [];
  private siteId = '';
  private facts: string[] = [];
  private length = 0;

  add(recorded: RecordedEntry): void {
    const { siteId } = recorded.entry.order;
    const fact = JSON.stringify(conversionFact(recorded));
    if (siteId !== this.siteId || this.length + fact.length > MAX_ROW_LENGTH) this.pack();
    this.siteId = siteId;
    this.facts.push(fact);
    this.length += fact.length;
  }

  /** Everything that was added. */
  all(): readonly LedgerFact[] {
    this.pack();
    return this.rows;
  }

  private pack(): void {
    if (this.facts.length === 0) return;
    const value = `[${this.facts.join(BETWEEN)}]`;
    this.rows.push({ topic: TOPICS.conversionsRecorded.name, key: this.siteId, value, headers: {} });
    this.facts = [];
    this.length = 0;
  }
}

/** The facts of a row as they are published: one message per record, whose order's records keep their order. */
export function unpackFacts(row: OutboxRow): readonly OutboxRow[] {
  const { topic, value, headers } = row;
  if (value?.startsWith('[') !== true) return [row];
  const facts = value.slice(1, -1).split(BETWEEN);
  return facts.map((fact) => {
    const names = JSON.parse(`${fact.slice(0, fact.indexOf(BEHIND_NAMES))}}`) as RecordedConversionFact;
    return {
      topic,
      key: orderKey(names.site_id, names.order_id),
      value: fact,
      headers: { ...headers, 'content-type': 'application/json', 'fact-id': names.record_id },
    };
  });
}

/** The fact that publishes where a chain ends now. */
function headFact({ entry, fields, hash }: SealedEntry): LedgerFact {
  const { siteId } = entry.order;
  const sequence = fields.chain_sequence ?? '';
  const recorded_at = toMilliseconds(fields.recorded_at ?? '');
  const head: SealedLedgerFact = { site_id: siteId, sequence, hash, recorded_at };
  return {
    topic: TOPICS.ledgerSealed.name,
    key: siteId,
    value: JSON.stringify(head),
    headers: { 'content-type': 'application/json', 'fact-id': `${siteId}:${sequence}` },
  };
}

/** A row of the outbox. */
type OutboxRow = Pick<LedgerFact, 'topic' | 'key'> & {
  readonly value: string | null;
  readonly headers?: Readonly<Record<string, string>>;
};

export interface LedgerFact {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The fact that publishes a new touch. */
export function touchFact({ id, siteId, touch, recordedAt }: NewTouch): LedgerFact {
  return touchMessage({
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
  });
}

/** How a touch is published. */
export function touchMessage(fact: RecordedTouchFact): LedgerFact {
  return {
    topic: TOPICS.touchesRecorded.name,
    key: touchKey(fact.site_id, fact.touch_id),
    value: JSON.stringify(fact),
    headers: { 'content-type': 'application/json', 'fact-id': fact.id },
  };
}
