import { Absent, Always, Nested } from '../validation/decorators.js';
import { AdjustmentBody, CancellationBody, PurchaseBody } from './conversion-body.js';

// Bodies of `POST /partner-attribution/conversions`: exactly one envelope (interface page, section 6).
// `readConversion` validates them.

/** The body of a purchase (interface page, section 6). */
export class PurchaseEnvelope {
  @Always('purchase') event_type!: 'purchase';
  @Nested(() => PurchaseBody) conversion!: PurchaseBody;
  @Absent() adjustment?: null;
  @Absent() cancellation?: null;
}

/** The body of an adjustment (interface page, section 6). */
export class AdjustmentEnvelope {
  @Always('adjustment') event_type!: 'adjustment';
  @Nested(() => AdjustmentBody) adjustment!: AdjustmentBody;
  @Absent() conversion?: null;
  @Absent() cancellation?: null;
}

/** The body of a cancellation (interface page, section 6). */
export class CancellationEnvelope {
  @Always('cancellation') event_type!: 'cancellation';
  @Nested(() => CancellationBody) cancellation!: CancellationBody;
  @Absent() conversion?: null;
  @Absent() adjustment?: null;
}
