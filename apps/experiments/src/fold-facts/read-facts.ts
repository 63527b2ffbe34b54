import {
  type AssignedSessionFact,
  ASSIGNED_SESSION_FACT,
  type RecordedConversionFact,
} from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { minorDigitsOf, parseDecimal, toMinor, UUID } from '@truetally/kernel';
import { type ReceivedFact, UnreadableError } from '@truetally/messaging';
import { standingOf } from '../domain/order-account.js';

/** A record of the ledger for one of the assignments that its order names. Amounts are minor units. */
export interface NamedRecord {
  readonly assignmentId: string;
  readonly recordId: string;
  readonly siteId: string;
  readonly conversionId: string;
  readonly orderSequence: number;
  readonly eventType: RecordedConversionFact['event_type'];
  readonly currency: string;
  /** ISO 8601 UTC, to the microsecond at most. */
  readonly purchaseOccurredAt: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly recordedAt: string;
  readonly revenueDelta: bigint;
  readonly marginDelta: bigint | null;
  readonly commissionDelta: bigint;
  readonly hasExactMargin: boolean;
  readonly rule: ReturnType<typeof standingOf>;
}

export interface FactsToFold {
  readonly assigned: readonly AssignedSessionFact[];
  readonly records: readonly NamedRecord[];
}

/** Written by the ledger; what is in a record's texts is escaped there. */
const NO_ASSIGNMENT = Buffer.from('"experiment_assignment_ids":[]');

/** Whether a record of the ledger counts for no arm, by its bytes: most orders name none. */
export function namesNoAssignment(written: Buffer | null): boolean {
  return written === null || written.includes(NO_ASSIGNMENT);
}

/** @throws UnreadableError for an invalid fact; the bus dead-letters it */
export function readFacts(facts: readonly Pick<ReceivedFact, 'topic' | 'value'>[]): FactsToFold {
  const assigned: AssignedSessionFact[] = [];
  const records: NamedRecord[] = [];
  for (const { topic, value } of facts) {
    if (value === null) continue;
    if (topic === TOPICS.sessionsAssigned.name) assigned.push(readAssigned(value));
    else records.push(...recordsOf(value));
  }
  return { assigned, records };
}

function readAssigned(value: string): AssignedSessionFact {
  const fact = ASSIGNED_SESSION_FACT.parse(value);
  if (!fact.ok) throw new UnreadableError(`sessions.assigned.v1: ${fact.error}`);
  return fact.value;
}

/** One for each assignment that the order names. */
function recordsOf(value: string): readonly NamedRecord[] {
  // The ledger's format, described in docs/asyncapi.yaml.
  const fact = JSON.parse(value) as RecordedConversionFact;
  const ids = new Set(fact.experiment_assignment_ids.map((id) => id.toLowerCase()));
  // Our assignment ids are UUIDs; other ids of an order are not ours.
  const named = [...ids].filter((id) => UUID.test(id));
  if (named.length === 0) return [];
  const minor = minorOf(fact.currency);
  const record = {
    recordId: fact.record_id,
    siteId: fact.site_id,
    conversionId: fact.conversion_id,
    orderSequence: fact.order_sequence,
    eventType: fact.event_type,
    currency: fact.currency,
    purchaseOccurredAt: fact.purchase_occurred_at,
    recordedAt: fact.recorded_at,
    revenueDelta: minor(fact.revenue_delta),
    marginDelta: fact.margin_delta === null ? null : minor(fact.margin_delta),
    commissionDelta: minor(fact.commission_delta),
    hasExactMargin: fact.margin_basis === 'exact',
    rule: standingOf(fact.attribution),
  };
  return named.map((assignmentId) => ({ ...record, assignmentId }));
}

function minorOf(currency: string): (amount: string) => bigint {
  const digits = minorDigitsOf(currency);
  return (amount) => {
    const decimal = parseDecimal(amount);
    const minor = decimal === undefined || digits === undefined ? undefined : toMinor(decimal, digits);
    if (minor === undefined)
      throw new UnreadableError('conversions.recorded.v1: an amount does not fit its currency');
    return minor;
  };
}
