import type { CommissionEntry, OrderEntry, OrderResource } from '@truetally/node';
import { type Fault, faultOf, minorOf, type SealedFields, type SealedRecord } from './sealed-record.js';

/**
 * Compares what is shown of an order with what was sealed, and seals its records again.
 * @param order with all its entries
 * @param records all of the order's
 * @returns everything that differs, each with its place in the chain
 */
export async function verifyOrder(
  order: OrderResource,
  records: readonly SealedRecord[],
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const record of records) {
    const fault = await faultOf(record, order.website_id);
    if (fault !== undefined) faults.push(fault);
  }
  const decimals = decimalsOf(order.remaining_revenue);
  const shown = [...order.entries, ...order.commission_entries];
  for (const { sequence } of shown) {
    if (!records.some((record) => record.sequence === sequence)) {
      faults.push({ sequence, text: 'an entry is shown that the chain does not have' });
    }
  }
  let before: SealedFields | undefined;
  for (const record of records) {
    const fields: SealedFields = new Map(record.fields);
    faults.push(...faultsOfEntry(order, record, fields, decimals), ...faultsOfSums(record, fields, before));
    before = fields;
  }
  return [...faults, ...faultsOfState(order, records, decimals)];
}

const AMOUNTS = ['receivable', 'commissionable', 'margin', 'commission'];

/** What remains after a record is what remained before it and its own change. */
function faultsOfSums(
  { sequence }: SealedRecord,
  fields: SealedFields,
  before: SealedFields | undefined,
): readonly Fault[] {
  const expected = String((before === undefined ? 0n : minorOf(before, 'order_sequence')) + 1n);
  const place = fields.get('order_sequence');
  if (place !== expected) return [{ sequence, text: `it is entry ${place} of the order, not ${expected}` }];
  return AMOUNTS.filter((account) => {
    const remained = before === undefined ? 0n : minorOf(before, `${account}_balance`);
    return remained + minorOf(fields, account) !== minorOf(fields, `${account}_balance`);
  }).map((account) => ({ sequence, text: `${account} does not sum to its balance` }));
}

/** One record beside the entry that is shown for it. */
function faultsOfEntry(
  order: OrderResource,
  record: SealedRecord,
  fields: SealedFields,
  decimals: number,
): readonly Fault[] {
  const { sequence, hash } = record;
  const text = (name: string): string | null => fields.get(name) ?? null;
  const money = (name: string): string | null => moneyOf(text(name), decimals);
  const common = {
    record_id: text('record_id'),
    recorded_at: instantOf(text('recorded_at')),
    commission_delta: money('commission'),
    attribution_model: text('attribution_model'),
    lookback_days: text('lookback_days') === null ? null : Number(text('lookback_days')),
    sequence,
    hash,
  };
  const isCommission = text('event_type') === 'commission';
  const shown = isCommission
    ? order.commission_entries.find((one) => one.sequence === sequence)
    : order.entries.find((one) => one.sequence === sequence);
  if (shown === undefined) return [{ sequence, text: 'the chain has an entry that is not shown' }];
  const sealed = isCommission
    ? common
    : {
        ...common,
        event_type: text('event_type'),
        occurred_at: instantOf(text('occurred_at')),
        revenue_delta: money('receivable'),
        commissionable_delta: money('commissionable'),
        // Taxes and shipping pass through: their accounts have the opposite sign of what is shown.
        tax_delta: moneyOf(negated(text('tax')), decimals),
        shipping_delta: moneyOf(negated(text('shipping')), decimals),
        discount_delta: money('discount'),
        margin_delta: money('margin'),
        reason: text('reason'),
        lines: parsed(text('lines')),
      };
  const owner = {
    order_id: text('order_id'),
    website_id: text('site_id'),
    conversion_id: text('conversion_id'),
    currency: text('currency'),
  };
  return [...differences(sequence, shown, sealed), ...differences(sequence, order, owner)];
}

/** The order's state is that of its last record, and what was bought that of its first. */
function faultsOfState(
  order: OrderResource,
  records: readonly SealedRecord[],
  decimals: number,
): readonly Fault[] {
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) {
    return [{ sequence: null, text: 'the chain has no record of this order' }];
  }
  const [bought, now]: readonly SealedFields[] = [new Map(first.fields), new Map(last.fields)];
  const text = (name: string): string | null => now?.get(name) ?? null;
  const money = (name: string): string | null => moneyOf(text(name), decimals);
  return [
    ...differences(last.sequence, order, {
      state: text('state'),
      remaining_revenue: money('receivable_balance'),
      remaining_commissionable: money('commissionable_balance'),
      remaining_margin: money('margin_balance'),
      commission: money('commission_balance'),
    }),
    ...differences(first.sequence, order, {
      margin_basis: bought?.get('margin_basis') ?? null,
      experiment_assignment_ids: parsed(bought?.get('experiment_assignment_ids') ?? '[]'),
    }),
    ...faultsOfShares(order, last.sequence, text('attribution')),
  ];
}

/** A touch that arrives after a cancellation is matched in the answer alone: nothing is recorded any more. */
function faultsOfShares(order: OrderResource, sequence: string, sealed: string | null): readonly Fault[] {
  const shares = (parsed(sealed ?? '[]') ?? []) as readonly Partial<Share>[];
  const shown = order.attribution.map((one, place) => {
    const wasUnmatched = shares[place]?.outcome === 'unmatched';
    const isLate =
      order.state === 'cancelled' && one.outcome === 'refused' && one.reason === 'order_cancelled';
    return isLate && wasUnmatched ? { ...one, outcome: 'unmatched', reason: shares[place]?.reason } : one;
  });
  const unmatched = order.attribution.filter(({ outcome }) => outcome === 'unmatched');
  const known = new Set(order.attribution.map(({ touch_id: id }) => id));
  const stranger = order.matched_touches.find(({ touch_id: id }) => !known.has(id));
  return [
    ...differences(sequence, { attribution: shown }, { attribution: shares }),
    ...differences(sequence, order, { unmatched_touch_ids: unmatched.map(({ touch_id: id }) => id) }),
    ...(stranger === undefined
      ? []
      : [{ sequence, text: `touch ${stranger.touch_id} is shown, but not part of the order` }]),
  ];
}

type Share = OrderResource['attribution'][number];

function differences(
  sequence: string,
  shown: Partial<CommissionEntry | OrderEntry | OrderResource> | object,
  sealed: Readonly<Record<string, unknown>>,
): readonly Fault[] {
  const named = shown as Readonly<Record<string, unknown>>;
  return Object.entries(sealed)
    .filter(([name, value]) => jsonOf(named[name]) !== jsonOf(value))
    .map(([name, value]) => ({
      sequence,
      text: `${name} is shown as ${JSON.stringify(named[name])}, sealed was ${JSON.stringify(value)}`,
    }));
}

/** How many decimals the shown amounts have: all of an order are of one currency. */
function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0;
}

/** Whole minor units as the API shows them. */
function moneyOf(minor: string | null, decimals: number): string | null {
  if (minor === null || decimals === 0) return minor;
  const sign = minor.startsWith('-') ? '-' : '';
  const digits = minor.slice(sign.length).padStart(decimals + 1, '0');
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function negated(minor: string | null): string | null {
  if (minor === null || /^0+$/.test(minor)) return minor;
  return minor.startsWith('-') ? minor.slice(1) : `-${minor}`;
}

/** `2026-01-31 09:30:00.12+00` as the API shows it: in milliseconds, without what is below them. */
function instantOf(sealed: string | null): string | null {
  const [, day, second, fraction = ''] =
    /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d+))?\+00$/.exec(sealed ?? '') ?? [];
  return day === undefined || second === undefined
    ? sealed
    : `${day}T${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The same text for the same value, whatever the order of an object's names. */
function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
