import { createHash } from 'node:crypto';
import {
  FIRST_PREVIOUS_HASH,
  LEDGER_ACCOUNTS,
  type LedgerAccount,
  ORDER_STATES,
  type SealedFields,
  sealOf,
  type ChainHead,
  type LedgerRow,
} from '@truetally/contracts/attribution';
import { type LedgerSource } from '../ledger/ledger-source.js';

export type EventType = 'purchase' | 'adjustment' | 'cancellation' | 'commission';
export type Changes = Partial<Record<keyof LedgerRow, string | null>>;

interface OrderSoFar {
  sequence: number;
  occurredAt: string;
  state: string;
  readonly balances: Record<LedgerAccount, bigint>;
}

const PURCHASE = {
  receivable: 4_700n,
  commissionable: 3_700n,
  cost: 1_500n,
  margin: 2_200n,
  commission: 185n,
};
const ADJUSTMENT = {
  receivable: -1_850n,
  commissionable: -1_850n,
  cost: 0n,
  margin: -1_100n,
  commission: -92n,
};
const TAX = 500n;
const SHIPPING = 500n;
const LINES = JSON.stringify(
  Array.from({ length: 5 }, (_, index) => ({
    line_id: `line-${index}`,
    sku: 'SKU-1',
    quantity: '2',
    unit_price: '3.70',
    subtotal: '7.40',
    discount: '0.00',
    commissionable_amount: '7.40',
    item_cost: '1.5',
  })),
);

/** Builds a ledger like the service: every record sealed in its place, every balance the sum of the entries. */
export class LedgerMaker {
  readonly rows: LedgerRow[] = [];
  private readonly heads = new Map<string, ChainHead>();
  private readonly orders = new Map<string, OrderSoFar>();

  record(siteId: string, orderId: string, eventType: EventType): this {
    const key = `${siteId} ${orderId}`;
    const order = this.orders.get(key) ?? newOrder();
    this.orders.set(key, order);
    const deltas = deltasOf(eventType, order.balances);
    for (const account of LEDGER_ACCOUNTS) order.balances[account] += deltas[account];
    order.sequence += 1;
    if (eventType !== 'commission') {
      order.state = ORDER_STATES[eventType];
      order.occurredAt = `2026-01-31 09:30:${String(order.sequence).padStart(2, '0')}+00`;
    }
    this.append(fieldsOf(siteId, orderId, eventType, order, deltas));
    return this;
  }

  source(change: (rows: LedgerRow[]) => readonly LedgerRow[] = (rows) => rows): LedgerSource {
    const rows = [...change(this.rows.map((row) => ({ ...row })))].sort(byPlace);
    return {
      records: rows.length,
      orders: this.orders.size,
      heads: [...this.heads.values()],
      batches: async function* () {
        await Promise.resolve();
        for (let index = 0; index < rows.length; index += 3) yield rows.slice(index, index + 3);
      },
      close: () => Promise.resolve(),
    };
  }

  private append(fields: SealedFields): void {
    const siteId = fields.site_id ?? '';
    const head = this.heads.get(siteId);
    const previousHash = head?.hash ?? FIRST_PREVIOUS_HASH;
    const placed = { ...fields, chain_sequence: String(Number(head?.sequence ?? 0) + 1) };
    const hash = sealOf(previousHash, placed);
    this.rows.push({ ...placed, previous_hash: previousHash, hash });
    this.heads.set(siteId, { site_id: siteId, sequence: placed.chain_sequence, hash });
  }
}

/** Changes one row and reseals it and all following rows, like an attacker who knows the algorithm. */
export function resealed(rows: LedgerRow[], at: number, changes: Changes): LedgerRow[] {
  const changed = rows.map((row, index) => (index === at ? { ...row, ...changes } : row));
  const last = new Map<string | null, string>();
  return changed.map((row) => {
    const previousHash = last.get(row.site_id) ?? FIRST_PREVIOUS_HASH;
    const hash = sealOf(previousHash, row);
    last.set(row.site_id, hash);
    return { ...row, previous_hash: previousHash, hash };
  });
}

function newOrder(): OrderSoFar {
  // One balance per account.
  const balances = Object.fromEntries(LEDGER_ACCOUNTS.map((account) => [account, 0n]));
  return {
    sequence: 0,
    occurredAt: '',
    state: 'recorded',
    balances: balances as Record<LedgerAccount, bigint>,
  };
}

function deltasOf(
  eventType: EventType,
  balances: Readonly<Record<LedgerAccount, bigint>>,
): Record<LedgerAccount, bigint> {
  if (eventType === 'purchase') return posted(PURCHASE, TAX, SHIPPING);
  if (eventType === 'adjustment') return posted(ADJUSTMENT, 0n, 0n);
  if (eventType === 'commission') {
    return posted({ receivable: 0n, commissionable: 0n, cost: 0n, margin: 0n, commission: 7n }, 0n, 0n);
  }
  // One delta per account.
  return Object.fromEntries(LEDGER_ACCOUNTS.map((account) => [account, -balances[account]])) as Record<
    LedgerAccount,
    bigint
  >;
}

function posted(amounts: typeof PURCHASE, tax: bigint, shipping: bigint): Record<LedgerAccount, bigint> {
  const { receivable, commissionable, cost, margin, commission } = amounts;
  const observed = commissionable + cost + margin + commission;
  const merchandise = -(receivable - tax - shipping);
  const due = { receivable, merchandise, discount: 0n, tax: -tax, shipping: -shipping };
  return { ...due, commissionable, cost, margin, commission, memorandum: -observed };
}

function fieldsOf(
  siteId: string,
  orderId: string,
  eventType: EventType,
  order: OrderSoFar,
  deltas: Readonly<Record<LedgerAccount, bigint>>,
): SealedFields {
  const { sequence, state, occurredAt, balances } = order;
  const isAsked = eventType !== 'commission';
  const isOfToday = eventType !== 'purchase';
  const amounts = LEDGER_ACCOUNTS.flatMap((account) => [
    [account, String(deltas[account])],
    [`${account}_balance`, String(balances[account])],
  ]);
  return {
    // One column per account and balance.
    ...(Object.fromEntries(amounts) as Pick<SealedFields, LedgerAccount | `${LedgerAccount}_balance`>),
    site_id: siteId,
    chain_sequence: null,
    record_id: uuid(`${siteId} ${orderId} ${sequence}`),
    conversion_id: uuid(`${siteId} ${orderId}`),
    order_id: orderId,
    order_sequence: String(sequence),
    event_type: eventType,
    state,
    idempotency_key: isAsked ? `${orderId}-${sequence}` : null,
    fingerprint: isAsked ? sha256(`${orderId}-${sequence}`) : null,
    currency: 'EUR',
    occurred_at: occurredAt,
    recorded_at: '2026-01-31 10:00:00+00',
    margin_basis: 'exact',
    margin_source: eventType === 'purchase' ? 'erp' : null,
    reason: eventType === 'adjustment' ? 'return' : null,
    lines: eventType === 'purchase' ? LINES : null,
    touch_ids: '["touch-1"]',
    experiment_assignment_ids: '[]',
    attribution: '[{"touch_id":"touch-1","outcome":"attributed","reason":"shared_equally","share":"1.85"}]',
    request_partition: isAsked ? '3' : null,
    request_offset: isAsked ? '12345' : null,
    request_id: isAsked ? `request-${orderId}-${sequence}` : null,
    // The first records of a ledger are older than these columns.
    attribution_model: isOfToday ? 'last_touch' : null,
    lookback_days: isOfToday ? '30' : null,
  };
}

function byPlace(left: LedgerRow, right: LedgerRow): number {
  const [a = '', b = ''] = [left.site_id ?? '', right.site_id ?? ''];
  if (a !== b) return a < b ? -1 : 1;
  return Number(left.chain_sequence) - Number(right.chain_sequence);
}

function uuid(text: string): string {
  const hex = sha256(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
