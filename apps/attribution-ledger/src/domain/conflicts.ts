import { type Adjustment, type Cancellation, instantColumn } from '@truetally/contracts/attribution';
import { formatMinor, MAX_MINOR } from '@truetally/kernel';
import type { Order } from './order.js';

/** The conditions of every entry after the purchase. */
export function barriers(
  envelope: 'adjustment' | 'cancellation',
  command: Adjustment | Cancellation,
  order: Order | undefined,
): Record<string, readonly string[]> {
  if (order === undefined) return { [`${envelope}.order_id`]: ['has no purchase'] };
  if (order.state === 'cancelled') {
    return { [`${envelope}.order_id`]: ['is cancelled: nothing can follow'] };
  }
  const conflicts: Record<string, readonly string[]> = {};
  if (command.currency !== order.currency) {
    conflicts[`${envelope}.currency`] = [`must be ${order.currency}, the currency of the purchase`];
  }
  if (instantColumn(command.occurredAt) <= order.occurredAt) {
    conflicts[`${envelope}.occurred_at`] = ['must be later than that of the latest entry of the order'];
  }
  return conflicts;
}

/** Conflicts where the remaining amounts would leave their bounds; not checked for another currency. */
export function amountConflicts(adjustment: Adjustment, order: Order): Record<string, readonly string[]> {
  const conflicts: Record<string, readonly string[]> = {};
  if (adjustment.marginDelta !== null && order.balances.margin === null) {
    conflicts['adjustment.margin_delta'] = ['must be absent: the purchase has no margin'];
  }
  // Amounts of different currencies cannot be compared.
  if (adjustment.currency !== order.currency) return conflicts;
  const { balances, currency } = order;
  const changes = [
    ['revenue_delta', 'remaining revenue', balances.receivable, adjustment.revenueDelta],
    [
      'commissionable_delta',
      'remaining commissionable amount',
      balances.commissionable,
      adjustment.commissionableDelta,
    ],
  ] as const;
  for (const [field, name, balance, delta] of changes) {
    const after = balance + delta;
    const path = `adjustment.${field}`;
    if (after < 0n) {
      conflicts[path] = [
        `would make the ${name} ${formatMinor(after, currency)}: it is ${formatMinor(balance, currency)}`,
      ];
    } else if (after > MAX_MINOR) {
      conflicts[path] = [`would make the ${name} more than ${formatMinor(MAX_MINOR, currency)}`];
    }
  }
  return conflicts;
}
