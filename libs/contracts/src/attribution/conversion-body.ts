import {
  Decimal,
  Exactly,
  Identifier,
  ListOf,
  Nested,
  NestedList,
  NonEmptyText,
  OneOf,
  Optional,
  Text,
  Timestamp,
} from '../validation/decorators.js';
import { identifier } from '../validation/rules.js';
import { ADJUSTMENT_REASONS, MARGIN_BASES } from './conversion-command.js';

/** Limits of a conversion (interface page, section 6); lengths in Unicode code points. */
export const CONVERSION_LIMITS = {
  idCharacters: 128,
  reasonCharacters: 256,
  /** Our own limit; the interface page sets none. */
  marginSourceCharacters: 256,
  lines: 500,
  touchIds: 50,
  experimentAssignmentIds: 50,
  /** Of quantities, unit prices and item costs. */
  unitDecimals: 6,
  /** How far a client's clock may be ahead. */
  occurredAheadMs: 24 * 60 * 60 * 1000,
} as const;

const ID = { max: CONVERSION_LIMITS.idCharacters };
const SCHEMA_VERSION = 1;

/** A JSON number (as `readJson` leaves it) or a plain decimal string. */
type DecimalValue = unknown;

/** Fields common to the three envelopes. Other fields are ignored and not stored. */
class OrderBody {
  @Exactly(SCHEMA_VERSION) schema_version!: number;
  @Identifier(ID) idempotency_key!: string;
  @Identifier(ID) website_id!: string;
  @Identifier(ID) order_id!: string;
  @Timestamp() occurred_at!: string;
  @NonEmptyText(ID) currency!: string;
}

export class PurchaseLineBody {
  @Identifier(ID) line_id!: string;
  @Identifier(ID) sku!: string;
  @Decimal() quantity!: DecimalValue;
  @Decimal() unit_price!: DecimalValue;
  @Decimal() subtotal!: DecimalValue;
  @Decimal() discount!: DecimalValue;
  @Decimal() commissionable_amount!: DecimalValue;
  @Optional() @Decimal() item_cost?: DecimalValue;
}

export class MarginBody {
  @Decimal() amount!: DecimalValue;
  @OneOf(MARGIN_BASES) basis!: string;
  @NonEmptyText({ max: CONVERSION_LIMITS.marginSourceCharacters }) source!: string;
}

/** `conversion` of a `purchase`. `purchase-rules.ts` checks that its amounts are consistent. */
export class PurchaseBody extends OrderBody {
  @Decimal() revenue!: DecimalValue;
  @Decimal() commissionable_subtotal!: DecimalValue;
  @Decimal() tax!: DecimalValue;
  @Decimal() shipping!: DecimalValue;
  @Decimal() discount!: DecimalValue;
  @NestedList(() => PurchaseLineBody, { min: 1, max: CONVERSION_LIMITS.lines })
  lines!: readonly PurchaseLineBody[];
  @Optional() @Nested(() => MarginBody) margin?: MarginBody | null;
  @Optional()
  @ListOf(identifier(ID), { min: 0, max: CONVERSION_LIMITS.touchIds })
  touch_ids?: readonly string[] | null;
  @Optional()
  @ListOf(identifier(ID), { min: 0, max: CONVERSION_LIMITS.experimentAssignmentIds })
  experiment_assignment_ids?: readonly string[] | null;
}

export class AdjustmentLineBody {
  @Identifier(ID) line_id!: string;
  @Decimal() quantity_delta!: DecimalValue;
  @Decimal() subtotal_delta!: DecimalValue;
}

/** `adjustment`. */
export class AdjustmentBody extends OrderBody {
  @Decimal() revenue_delta!: DecimalValue;
  @Decimal() commissionable_delta!: DecimalValue;
  @Optional() @Decimal() tax_delta?: DecimalValue;
  @Optional() @Decimal() shipping_delta?: DecimalValue;
  @Optional() @Decimal() margin_delta?: DecimalValue;
  @OneOf(ADJUSTMENT_REASONS) reason!: string;
  @Optional()
  @NestedList(() => AdjustmentLineBody, { min: 0, max: CONVERSION_LIMITS.lines })
  lines?: readonly AdjustmentLineBody[] | null;
}

/** `cancellation`. */
export class CancellationBody extends OrderBody {
  @Decimal() reversed_revenue!: DecimalValue;
  @Optional() @Text({ max: CONVERSION_LIMITS.reasonCharacters }) reason?: string | null;
}
