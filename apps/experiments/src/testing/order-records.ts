import fc from 'fast-check';
import type { AssignedSession } from '../domain/fold-session.js';
import type { OrderRecord } from '../domain/order-account.js';

const HOUR_MS = 3_600_000;
const DAY_US = 86_400_000_000n;

/** When {@link SESSION} was assigned: milliseconds, and microseconds, since 1970. */
export const ASSIGNED_MS = 1_800_000_000_000;
export const FROM = BigInt(ASSIGNED_MS) * 1_000n;

/** A session of an experiment in euros with a window of seven days. */
export const SESSION: AssignedSession = {
  assignedAtMs: ASSIGNED_MS,
  window: { from: FROM, to: FROM + 7n * DAY_US, currency: 'EUR' },
};

/** A purchase of 100 euros at the time of the assignment. */
export function orderRecord(fields: Partial<OrderRecord> = {}): OrderRecord {
  const { conversionId = 'order', orderSequence = 1 } = fields;
  return {
    recordId: `${conversionId} ${orderSequence}`,
    conversionId,
    orderSequence,
    eventType: 'purchase',
    currency: 'EUR',
    purchasedAt: FROM,
    recordedAtMs: ASSIGNED_MS,
    revenueDelta: 10_000n,
    marginDelta: 4_000n,
    commissionDelta: 500n,
    hasExactMargin: true,
    rule: 'ruled',
    ...fields,
  };
}

const anyRecord: fc.Arbitrary<OrderRecord> = fc
  .record({
    conversionId: fc.constantFrom('a', 'b', 'c'),
    orderSequence: fc.integer({ min: 1, max: 5 }),
    eventType: fc.constantFrom('adjustment', 'cancellation', 'commission'),
    currency: fc.constantFrom('EUR', 'EUR', 'USD'),
    purchasedAt: fc.constantFrom(FROM - 1n, FROM, FROM + DAY_US, FROM + 9n * DAY_US),
    recordedAtMs: fc.integer({ min: ASSIGNED_MS - HOUR_MS, max: ASSIGNED_MS + 50 * HOUR_MS }),
    revenueDelta: fc.bigInt({ min: -9_000n, max: 9_000n }),
    marginDelta: fc.option(fc.bigInt({ min: -4_000n, max: 4_000n })),
    commissionDelta: fc.bigInt({ min: -500n, max: 500n }),
    hasExactMargin: fc.boolean(),
    rule: fc.constantFrom('ruled', 'unruled', 'untouched'),
  } as const)
  .map((fields) =>
    orderRecord({ ...fields, eventType: fields.orderSequence === 1 ? 'purchase' : fields.eventType }),
  );

/** Records of up to three orders; a repeated record of an order is equal to the first. */
export const knownRecords = fc.uniqueArray(anyRecord, {
  maxLength: 12,
  selector: ({ recordId }) => recordId,
});
