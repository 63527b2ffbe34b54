import {
  type Adjustment,
  type AttributionSettings,
  type Cancellation,
  type ConversionCommand,
  instantColumn,
  ORDER_STATES,
  type Purchase,
} from '@truetally/contracts/attribution';
import { fail, type FieldErrors, formatMinor, type Result, succeed, unreachable } from '@truetally/kernel';
import { add, type Amounts, balanced, negate, NOTHING, type PostedAmounts } from './accounts.js';
import { commissionOf, type KnownRule, type KnownTouch } from './commission.js';
import { amountConflicts, barriers } from './conflicts.js';
import { conversionIdOf, recordIdOf } from './names.js';
import { type Entry, type Order, unmatchedOf } from './order.js';
import { adjustmentLines, costOf, purchaseLines } from './recorded-lines.js';

/** The inputs of a decision besides the order itself. */
export interface DecisionInputs {
  /** Known touches of the site, by touch id. */
  readonly touches: ReadonlyMap<string, KnownTouch>;
  readonly rules: readonly KnownRule[];
  /** The site's settings in force. */
  readonly settings: AttributionSettings;
  /** Line ids of the purchase; read only for an adjustment with lines. */
  readonly lineIds: ReadonlySet<string>;
}

export interface AskedEntry {
  readonly siteId: string;
  readonly command: ConversionCommand;
  readonly asked: NonNullable<Entry['asked']>;
}

/** Decides a command by the state rules of section 6. @returns the conflicts, by field path */
export function decideEntry(
  { siteId, command, asked }: AskedEntry,
  order: Order | undefined,
  inputs: DecisionInputs,
): Result<Entry, FieldErrors> {
  switch (command.eventType) {
    case 'purchase':
      return decidePurchase(siteId, command, asked, order, inputs);
    case 'adjustment':
      return decideAdjustment(command, asked, order, inputs);
    case 'cancellation':
      return decideCancellation(command, asked, order, inputs);
    default:
      return unreachable(command);
  }
}

function decidePurchase(
  siteId: string,
  purchase: Purchase,
  asked: AskedEntry['asked'],
  known: Order | undefined,
  inputs: DecisionInputs,
): Result<Entry, FieldErrors> {
  if (known !== undefined) {
    return fail({ 'conversion.order_id': ['has a purchase under another idempotency key'] });
  }
  const occurredAt = instantColumn(purchase.occurredAt);
  const before: Order = {
    siteId,
    orderId: purchase.orderId,
    conversionId: conversionIdOf(siteId, purchase.orderId),
    currency: purchase.currency,
    state: ORDER_STATES.purchase,
    orderSequence: 0,
    occurredAt,
    balances: NOTHING,
    marginBasis: purchase.margin?.basis ?? null,
    attribution: [],
    purchasedAt: occurredAt,
    touchIds: purchase.touchIds,
    experimentAssignmentIds: purchase.experimentAssignmentIds,
  };
  const posted = {
    receivable: purchase.revenue,
    merchandise: -purchase.merchandise,
    discount: purchase.discount,
    tax: -purchase.tax,
    shipping: -purchase.shipping,
    commissionable: purchase.commissionableSubtotal,
    cost: costOf(purchase),
    margin: purchase.margin?.amount ?? null,
  };
  const entry = {
    eventType: 'purchase',
    asked,
    marginSource: purchase.margin?.source ?? null,
    reason: null,
    lines: purchaseLines(purchase),
    touchIds: purchase.touchIds,
    experimentAssignmentIds: purchase.experimentAssignmentIds,
  } as const;
  return succeed(nextEntry(before, entry, posted, inputs));
}

function decideAdjustment(
  adjustment: Adjustment,
  asked: AskedEntry['asked'],
  order: Order | undefined,
  inputs: DecisionInputs,
): Result<Entry, FieldErrors> {
  const barred = barriers('adjustment', adjustment, order);
  if (order === undefined || order.state === 'cancelled') return fail(barred);
  const conflicts: Record<string, readonly string[]> = {
    ...barred,
    ...amountConflicts(adjustment, order),
  };
  for (const [index, { lineId }] of adjustment.lines.entries()) {
    if (!inputs.lineIds.has(lineId)) {
      conflicts[`adjustment.lines.${index}.line_id`] = ['is not a line of the purchase'];
    }
  }
  if (Object.keys(conflicts).length > 0) return fail(conflicts);
  const { revenueDelta, taxDelta, shippingDelta } = adjustment;
  const posted = {
    receivable: revenueDelta,
    merchandise: -(revenueDelta - taxDelta - shippingDelta),
    discount: 0n,
    tax: -taxDelta,
    shipping: -shippingDelta,
    commissionable: adjustment.commissionableDelta,
    cost: null,
    margin: adjustment.marginDelta,
  };
  const lines = adjustmentLines(adjustment);
  const entry = { ...plain('adjustment', asked, adjustment.reason), lines };
  const occurredAt = instantColumn(adjustment.occurredAt);
  const before: Order = { ...order, state: ORDER_STATES.adjustment, occurredAt };
  return succeed(nextEntry(before, entry, posted, inputs));
}

function decideCancellation(
  cancellation: Cancellation,
  asked: AskedEntry['asked'],
  order: Order | undefined,
  inputs: DecisionInputs,
): Result<Entry, FieldErrors> {
  const conflicts = barriers('cancellation', cancellation, order);
  if (order === undefined || order.state === 'cancelled') return fail(conflicts);
  const remaining = order.balances.receivable;
  if (order.currency === cancellation.currency && cancellation.reversedRevenue !== remaining) {
    conflicts['cancellation.reversed_revenue'] = [
      `must be the remaining revenue ${formatMinor(remaining, order.currency)}, ` +
        `not ${formatMinor(cancellation.reversedRevenue, order.currency)}`,
    ];
  }
  if (Object.keys(conflicts).length > 0) return fail(conflicts);
  const entry = plain('cancellation', asked, cancellation.reason);
  const occurredAt = instantColumn(cancellation.occurredAt);
  const before: Order = { ...order, state: ORDER_STATES.cancellation, occurredAt };
  return succeed(nextEntry(before, entry, negate(order.balances), inputs));
}

/**
 * Matches touches that arrived after the purchase, as a record of its own with the changed commission.
 * @returns undefined when no awaited touch is known, or the order is cancelled and must not change
 */
export function decideMatch(order: Order, inputs: DecisionInputs): Entry | undefined {
  const matched = unmatchedOf(order.attribution).filter((touchId) => inputs.touches.has(touchId));
  if (matched.length === 0 || order.state === 'cancelled') return undefined;
  const entry = { ...plain('commission', null, 'touch_matched'), touchIds: matched };
  return nextEntry(order, entry, NOTHING, inputs);
}

function plain(eventType: Entry['eventType'], asked: Entry['asked'], reason: string | null) {
  return {
    eventType,
    asked,
    marginSource: null,
    reason,
    lines: null as string | null,
    touchIds: [] as readonly string[],
    experimentAssignmentIds: [] as readonly string[],
  };
}

/** The entry with its commission, and the order after it. */
function nextEntry(
  before: Order,
  entry: Omit<Entry, 'recordId' | 'deltas' | 'order' | 'rule'>,
  posted: Omit<PostedAmounts, 'commission'>,
  { touches, rules, settings }: DecisionInputs,
): Entry {
  const rule = { model: settings.model, lookbackDays: settings.lookbackDays };
  const commission = commissionOf(
    {
      currency: before.currency,
      purchasedAt: before.purchasedAt,
      touchIds: before.touchIds,
      remainingCommissionable: before.balances.commissionable + posted.commissionable,
      isCancelled: before.state === 'cancelled',
      rule,
    },
    touches,
    rules,
  );
  const deltas: Amounts = balanced({ ...posted, commission: commission.total - before.balances.commission });
  const orderSequence = before.orderSequence + 1;
  return {
    ...entry,
    recordId: recordIdOf(before.siteId, before.orderId, orderSequence),
    deltas,
    rule,
    order: {
      ...before,
      orderSequence,
      balances: add(before.balances, deltas),
      attribution: commission.attribution,
    },
  };
}
