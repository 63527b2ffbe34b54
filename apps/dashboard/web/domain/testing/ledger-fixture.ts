import type { OrderResource } from '@truetally/node';
import { FIRST_PREVIOUS_HASH, sealOf, type SealedRecord } from '../sealed-record.js';

export const SITE_ID = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';

/** What happens to an order, in minor units. */
export interface Step {
  readonly type: 'adjustment' | 'cancellation' | 'commission' | 'purchase';
  readonly revenue: bigint;
  readonly tax: bigint;
  readonly commissionable: bigint;
  readonly commission: bigint;
  readonly margin: bigint | null;
}

export interface OrderStory {
  readonly orderId: string;
  readonly currency: string;
  readonly decimals: number;
  readonly touchId: string;
  readonly steps: readonly Step[];
}

/** Sealed records of one order after another, and the orders as the API shows them. */
export async function ledgerOf(stories: readonly OrderStory[]): Promise<{
  readonly records: readonly SealedRecord[];
  readonly orders: readonly OrderResource[];
}> {
  const records: SealedRecord[] = [];
  const orders: OrderResource[] = [];
  for (const story of stories) {
    const own: SealedRecord[] = [];
    let balances = {
      revenue: 0n,
      tax: 0n,
      commissionable: 0n,
      commission: 0n,
      margin: null as bigint | null,
    };
    for (const [place, step] of story.steps.entries()) {
      balances = {
        revenue: balances.revenue + step.revenue,
        tax: balances.tax + step.tax,
        commissionable: balances.commissionable + step.commissionable,
        commission: balances.commission + step.commission,
        margin: step.margin === null ? balances.margin : (balances.margin ?? 0n) + step.margin,
      };
      const record = await sealed(story, { step, place, balances }, records);
      records.push(record);
      own.push(record);
    }
    orders.push(shownOf(story, own, balances));
  }
  return { records, orders };
}

interface Moment {
  readonly step: Step;
  readonly place: number;
  readonly balances: {
    readonly revenue: bigint;
    readonly tax: bigint;
    readonly commissionable: bigint;
    readonly commission: bigint;
    readonly margin: bigint | null;
  };
}

const STATES = {
  purchase: 'recorded',
  adjustment: 'adjusted',
  cancellation: 'cancelled',
  commission: 'recorded',
} as const;

async function sealed(
  story: OrderStory,
  { step, place, balances }: Moment,
  before: readonly SealedRecord[],
): Promise<SealedRecord> {
  const sequence = String(before.length + 1);
  const fields: SealedRecord['fields'] = [
    ['site_id', SITE_ID],
    ['chain_sequence', sequence],
    ['record_id', `record-${sequence}`],
    ['conversion_id', `conversion of ${story.orderId}`],
    ['order_id', story.orderId],
    ['order_sequence', String(place + 1)],
    ['event_type', step.type],
    ['state', STATES[step.type]],
    ['idempotency_key', `schlüssel-${sequence}`],
    ['fingerprint', 'b5bb9d8014a0f9b1'],
    ['currency', story.currency],
    ['occurred_at', `2026-01-31 09:${String(place + 10)}:00.12+00`],
    ['recorded_at', `2026-01-31 10:${String(place + 10)}:00.123456+00`],
    ...accountsOf('', step),
    ...accountsOf('_balance', balances),
    ['margin_basis', step.type === 'purchase' && step.margin !== null ? 'exact' : null],
    ['margin_source', null],
    ['reason', step.type === 'adjustment' ? 'return' : null],
    ['lines', step.type === 'purchase' ? '[{"line_id":"line-1","sku":"Größe 38"}]' : null],
    ['touch_ids', JSON.stringify([story.touchId])],
    ['experiment_assignment_ids', '["assignment-1"]'],
    ['attribution', JSON.stringify([shareOf(story, balances.commission)])],
    ['request_partition', '3'],
    ['request_offset', '41'],
    ['request_id', `request-${sequence}`],
    ['attribution_model', 'linear'],
    ['lookback_days', '30'],
  ];
  const previous = before.at(-1)?.hash ?? FIRST_PREVIOUS_HASH;
  const unsealed = { format: 'truetally.ledger.1', previous_hash: previous, fields };
  return { sequence, ...unsealed, hash: await sealOf(unsealed) };
}

/** Both fives sum to zero. */
function accountsOf(
  suffix: '_balance' | '',
  { revenue, tax, commissionable, commission, margin }: Moment['balances'],
): SealedRecord['fields'] {
  const amounts = {
    receivable: revenue,
    merchandise: tax - revenue,
    discount: 0n,
    tax: -tax,
    shipping: 0n,
    commissionable,
    cost: null,
    margin,
    commission,
    memorandum: -(commissionable + commission + (margin ?? 0n)),
  };
  return Object.entries(amounts).map(([name, amount]) => [
    `${name}${suffix}`,
    amount === null ? null : String(amount),
  ]);
}

function shareOf(
  { touchId, decimals }: OrderStory,
  commission: bigint,
): OrderResource['attribution'][number] {
  const share = amountOf(commission, decimals);
  return { touch_id: touchId, outcome: 'attributed', reason: 'shared_equally', share };
}

function shownOf(
  story: OrderStory,
  records: readonly SealedRecord[],
  balances: Moment['balances'],
): OrderResource {
  const { orderId, currency, decimals, touchId, steps } = story;
  const money = (minor: bigint): string => amountOf(minor, decimals);
  const shared = steps.map((step, place) => ({
    record_id: `record-${records[place]?.sequence}`,
    recorded_at: `2026-01-31T10:${String(place + 10)}:00.123Z`,
    commission_delta: money(step.commission),
    attribution_model: 'linear' as const,
    lookback_days: 30,
    sequence: String(records[place]?.sequence),
    hash: String(records[place]?.hash),
  }));
  return {
    order_id: orderId,
    website_id: SITE_ID,
    currency,
    state: STATES[steps.at(-1)?.type ?? 'purchase'],
    conversion_id: `conversion of ${orderId}`,
    remaining_revenue: money(balances.revenue),
    remaining_commissionable: money(balances.commissionable),
    margin_basis: steps[0]?.margin === null ? null : 'exact',
    remaining_margin: balances.margin === null ? null : money(balances.margin),
    commission: money(balances.commission),
    entries: steps.flatMap((step, place) => {
      const own = shared[place];
      if (step.type === 'commission' || own === undefined) return [];
      return [
        {
          ...own,
          event_type: step.type,
          occurred_at: `2026-01-31T09:${String(place + 10)}:00.120Z`,
          revenue_delta: money(step.revenue),
          commissionable_delta: money(step.commissionable),
          tax_delta: money(step.tax),
          shipping_delta: money(0n),
          discount_delta: money(0n),
          margin_delta: step.margin === null ? null : money(step.margin),
          reason: step.type === 'adjustment' ? 'return' : null,
          lines: step.type === 'purchase' ? [{ line_id: 'line-1', sku: 'Größe 38' }] : null,
        },
      ];
    }),
    commission_entries: shared.filter((_, place) => steps[place]?.type === 'commission'),
    next_cursor: null,
    matched_touches: [
      { touch_id: touchId, provider: 'awin', partner_id: null, occurred_at: '2026-01-30T09:00:00.000Z' },
    ],
    unmatched_touch_ids: [],
    experiment_assignment_ids: ['assignment-1'],
    attribution: [shareOf(story, balances.commission)],
  };
}

function amountOf(minor: bigint, decimals: number): string {
  const sign = minor < 0n ? '-' : '';
  const digits = String(minor < 0n ? -minor : minor).padStart(decimals + 1, '0');
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
