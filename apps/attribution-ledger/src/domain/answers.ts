import type {
  Attribution,
  ConversionAccepted,
  ConversionEventType,
  OrderState,
  SealedFields,
} from '@truetally/contracts/attribution';
import { formatMinor } from '@truetally/kernel';
import { toMilliseconds } from './instants.js';
import { unmatchedOf } from './order.js';

/** The columns of an answer, so that a replay is answered from what was stored. */
export const ANSWER_COLUMNS = [
  'record_id',
  'conversion_id',
  'order_id',
  'event_type',
  'state',
  'currency',
  'recorded_at',
  'receivable_balance',
  'commissionable_balance',
  'attribution',
] as const;
export type AnswerFields = Pick<SealedFields, (typeof ANSWER_COLUMNS)[number]>;

/** `data` of an accepted conversion; in a replay only `deduplicated` differs. */
export function acceptedOf(fields: AnswerFields, deduplicated: boolean): ConversionAccepted {
  const currency = fields.currency ?? '';
  return {
    authoritative: true,
    deduplicated,
    record_id: fields.record_id ?? '',
    conversion_id: fields.conversion_id ?? '',
    order_id: fields.order_id ?? '',
    // The database checks both columns.
    event_type: fields.event_type as ConversionEventType,
    state: fields.state as OrderState,
    currency,
    remaining_revenue: formatMinor(BigInt(fields.receivable_balance ?? 0), currency),
    remaining_commissionable: formatMinor(BigInt(fields.commissionable_balance ?? 0), currency),
    recorded_at: toMilliseconds(fields.recorded_at ?? ''),
    unmatched_touch_ids: unmatchedOf(JSON.parse(fields.attribution ?? '[]') as readonly Attribution[]),
  };
}
