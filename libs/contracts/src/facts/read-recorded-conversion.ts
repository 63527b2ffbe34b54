import { MARGIN_BASES, ORDER_STATES, type OrderState } from '../attribution/conversion-command.js';
import { type Attribution, ATTRIBUTION_OUTCOMES } from '../attribution/order-resource.js';
import { recordCodec } from './record-codec.js';
import type { RecordReader } from './record-reader.js';
import type { RecordedConversionFact, SealedLedgerFact } from './recorded-conversion.js';
import { ATTRIBUTION_MODELS } from './site-record.js';

const EVENT_TYPES = ['purchase', 'adjustment', 'cancellation', 'commission'] as const;
const STATES: readonly OrderState[] = Object.values(ORDER_STATES);

/** Reads a value of `conversions.recorded.v1`; never throws. The error names the fields. */
export const RECORDED_CONVERSION_FACT = recordCodec((reader): RecordedConversionFact => {
  const touches = reader.objects('attribution');
  const marginBasis = orNull(reader, 'margin_basis', MARGIN_BASES);
  const attributionModel = orNull(reader, 'attribution_model', ATTRIBUTION_MODELS);
  return {
    record_id: reader.text('record_id'),
    conversion_id: reader.text('conversion_id'),
    site_id: reader.text('site_id'),
    order_id: reader.text('order_id'),
    order_sequence: reader.integer('order_sequence'),
    event_type: reader.oneOf('event_type', EVENT_TYPES) ?? 'purchase',
    state: reader.oneOf('state', STATES) ?? 'recorded',
    currency: reader.text('currency'),
    occurred_at: reader.instant('occurred_at'),
    purchase_occurred_at: reader.instant('purchase_occurred_at'),
    recorded_at: reader.instant('recorded_at'),
    revenue_delta: reader.text('revenue_delta'),
    commissionable_delta: reader.text('commissionable_delta'),
    tax_delta: reader.text('tax_delta'),
    shipping_delta: reader.text('shipping_delta'),
    discount_delta: reader.text('discount_delta'),
    margin_delta: reader.textOrNull('margin_delta'),
    commission_delta: reader.text('commission_delta'),
    remaining_revenue: reader.text('remaining_revenue'),
    remaining_commissionable: reader.text('remaining_commissionable'),
    remaining_margin: reader.textOrNull('remaining_margin'),
    margin_basis: marginBasis,
    commission: reader.text('commission'),
    touch_ids: reader.texts('touch_ids'),
    unmatched_touch_ids: reader.texts('unmatched_touch_ids'),
    attribution_model: attributionModel,
    lookback_days: reader.integerOrNull('lookback_days'),
    attribution: touches.map(attributionOf),
    experiment_assignment_ids: reader.texts('experiment_assignment_ids'),
    reason: reader.textOrNull('reason'),
    sequence: reader.text('sequence'),
    hash: reader.text('hash'),
  };
});

/** Reads a value of `ledger.sealed.v1`; never throws. The error names the fields. */
export const SEALED_LEDGER_FACT = recordCodec((reader): SealedLedgerFact => ({
  site_id: reader.text('site_id'),
  sequence: reader.text('sequence'),
  hash: reader.text('hash'),
  recorded_at: reader.instant('recorded_at'),
}));

function attributionOf(reader: RecordReader): Attribution {
  return {
    touch_id: reader.text('touch_id'),
    outcome: reader.oneOf('outcome', ATTRIBUTION_OUTCOMES) ?? 'unmatched',
    reason: reader.text('reason'),
    share: reader.text('share'),
  };
}

function orNull<T extends string>(reader: RecordReader, name: string, allowed: readonly T[]): T | null {
  return reader.textOrNull(name) === null ? null : (reader.oneOf(name, allowed) ?? null);
}
