import type { SealedFields } from '@truetally/contracts/attribution';

/** The columns that explain an order. */
export const ORDER_COLUMNS = [
  'record_id',
  'conversion_id',
  'order_id',
  'order_sequence',
  'event_type',
  'state',
  'currency',
  'occurred_at',
  'recorded_at',
  'receivable',
  'commissionable',
  'tax',
  'shipping',
  'discount',
  'margin',
  'commission',
  'receivable_balance',
  'commissionable_balance',
  'margin_balance',
  'commission_balance',
  'margin_basis',
  'reason',
  'lines',
  'touch_ids',
  'experiment_assignment_ids',
  'attribution',
  'chain_sequence',
  'attribution_model',
  'lookback_days',
] as const;

/** A record of an order for its explanation, each column as text. */
export type OrderRecord = Pick<SealedFields, (typeof ORDER_COLUMNS)[number]> & { readonly hash: string };

/** An order, and a page of its records. */
export interface OrderPage {
  readonly purchase: OrderRecord;
  /** The latest record, which holds what remains. */
  readonly last: OrderRecord;
  /** In order, none later than `last`. Without their attribution, which is explained for `last` only. */
  readonly entries: readonly OrderRecord[];
}
