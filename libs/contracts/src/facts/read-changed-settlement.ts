import { SETTLEMENT_STATUSES } from '../publisher/settlement.js';
import type { ChangedSettlementFact } from './changed-settlement.js';
import { recordCodec } from './record-codec.js';

/** Reads a value of `settlements.changed.v1`; never throws. The error names the fields. */
export const CHANGED_SETTLEMENT_FACT = recordCodec((reader): ChangedSettlementFact => {
  const isNew = reader.textOrNull('previous_status') === null;
  return {
    settlement_id: reader.text('settlement_id'),
    site_id: reader.text('site_id'),
    provider: reader.text('provider'),
    provider_transaction_id: reader.text('provider_transaction_id'),
    order_reference: reader.textOrNull('order_reference'),
    status: reader.oneOf('status', SETTLEMENT_STATUSES) ?? 'pending',
    previous_status: isNew ? null : (reader.oneOf('previous_status', SETTLEMENT_STATUSES) ?? null),
    currency: reader.text('currency'),
    commissionable_amount: reader.text('commissionable_amount'),
    commission_amount: reader.text('commission_amount'),
    transaction_at: reader.instant('transaction_at'),
    updated_at: reader.instant('updated_at'),
    recorded_at: reader.instant('recorded_at'),
  };
});
