import { fail, parseInstant, readDay, succeed } from '@truetally/kernel';
import type { BodyReading } from '../resource/request.js';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import {
  Flag,
  ListOf,
  Matching,
  NestedList,
  NonEmptyText,
  OneOf,
  Optional,
  OrNull,
  Readable,
  Text,
  Timestamp,
  WholeNumber,
} from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { matching, oneOf } from '../validation/rules.js';
import { TRIGGER_TYPES } from '../management/workflow.js';
import { REPLAYED_STATUSES, type ReplayedStatus, type ReplayRange } from './replay.js';

/** States of a delivery. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
/** One of `DELIVERY_STATUSES`. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const MOMENT_FORM = 'a date, or an ISO 8601 date and time with an offset';
const ID = { max: 256 };
const TYPE = { max: 100 };
const ERROR = { max: 500 };
const RESPONSE = { max: 2_048 };
const STATUS = { min: 100, max: 999 };
const MILLISECONDS = { min: 0, max: 3_600_000 };
const ATTEMPTS = { min: 0, max: 1_000 };

/** One attempt of a delivery (interface page, section 10). */
export class DeliveryAttemptResource {
  @Timestamp() readonly at!: string;
  /** The HTTP status; null without an answer. */
  @OrNull() @WholeNumber(STATUS) readonly status!: number | null;
  @WholeNumber(MILLISECONDS) readonly latency_ms!: number;
  /** Null for a success. */
  @OrNull() @NonEmptyText(ERROR) readonly error!: string | null;
  /** The first 1 KiB of the answer, made harmless; null without one. */
  @OrNull() @Text(RESPONSE) readonly response!: string | null;
  /** Whether a member asked for it. */
  @Flag() readonly replay!: boolean;
}

/** A delivery of a webhook (interface page, section 10). */
export class DeliveryResource {
  @Matching(UUID, UUID_FORM) readonly id!: string;
  @Matching(UUID, UUID_FORM) readonly workflow_id!: string;
  @NonEmptyText(ID) readonly webhook_id!: string;
  @NonEmptyText(TYPE) readonly event_type!: string;
  @OrNull() @NonEmptyText(ID) readonly event_id!: string | null;
  @OrNull() @NonEmptyText(ID) readonly record_id!: string | null;
  @OrNull() @NonEmptyText(ID) readonly order_id!: string | null;
  @OneOf(DELIVERY_STATUSES) readonly status!: DeliveryStatus;
  /** Whether it is a test with sample data. */
  @Flag() readonly test!: boolean;
  @Timestamp() readonly created_at!: string;
  /** Null when none is planned: it has ended, or waits for an earlier one of its session or order. */
  @OrNull() @Timestamp() readonly next_attempt_at!: string | null;
  /** Oldest first. */
  @NestedList(() => DeliveryAttemptResource, ATTEMPTS) readonly attempts!: readonly DeliveryAttemptResource[];
}

/** The message of `list-event-deliveries`. */
export class AskEventDeliveries {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @ListOf(matching(UUID, UUID_FORM), { min: 0, max: 200 }) readonly event_ids!: readonly string[];
}

/** A delivery that an event caused. */
export class EventDelivery {
  @Matching(UUID, UUID_FORM) readonly event_id!: string;
  @Matching(UUID, UUID_FORM) readonly workflow_id!: string;
  @Matching(UUID, UUID_FORM) readonly delivery_id!: string;
  @OneOf(DELIVERY_STATUSES) readonly status!: DeliveryStatus;
}

/** The answer of `list-event-deliveries`: of each event the newest first. */
export class EventDeliveries {
  @NestedList(() => EventDelivery, { min: 0, max: 20_000 }) readonly deliveries!: readonly EventDelivery[];
}

/** Body of `POST /workflows/{id}/deliveries/replay`. */
export class ReplayBody {
  @Readable(momentOf, MOMENT_FORM, 'moment') from!: string;
  @Readable(momentOf, MOMENT_FORM, 'moment') to!: string;
  @Optional() @ListOf(oneOf(REPLAYED_STATUSES), { min: 1, max: REPLAYED_STATUSES.length }) statuses?:
    readonly ReplayedStatus[] | null;
}

/** Body of `POST /workflows/{id}/test`, which may be absent. */
export class TestWorkflowBody {
  @Optional() @OneOf(TRIGGER_TYPES) event_type?: string | null;
}

/** How many deliveries a range has. */
export class MatchedDeliveries {
  @WholeNumber({ min: 0, max: 100_000 }) readonly matched!: number;
}

/** The answer to the replay of a range. */
export class StartedReplay {
  @Matching(UUID, UUID_FORM) readonly job_id!: string;
  @WholeNumber({ min: 0, max: 100_000 }) readonly matched!: number;
}

/** A date of the calendar or an instant, as windows are given. @returns undefined for any other text */
export function momentOf(text: string): string | undefined {
  return readDay(text) !== undefined || parseInstant(text) !== undefined ? text : undefined;
}

const validateReplay = compileValidator(ReplayBody, { unknownFields: 'refused' });
const validateTest = compileValidator(TestWorkflowBody, { unknownFields: 'refused' });

/** Every broken rule, or the range in the body, with its moments as they were given. */
export function readReplay(body: unknown): BodyReading<ReplayRange> {
  const violations = validateReplay(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { from, to, statuses } = body as ReplayBody;
  return succeed({ from, to, statuses: [...new Set(statuses ?? (['dead'] as const))] });
}

/** Every broken rule, or the type that a test is to have; null leaves it to the workflow. */
export function readTest(body: unknown): BodyReading<string | null> {
  if (body === null || body === undefined) return succeed(null);
  const violations = validateTest(body);
  return violations.length > 0
    ? fail(toFieldErrors(violations))
    : succeed((body as TestWorkflowBody).event_type ?? null);
}
