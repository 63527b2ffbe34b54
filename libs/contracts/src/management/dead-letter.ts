import { NonEmptyText, OneOf, OrNull, Matching, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';

const NAME = { max: 300 };
const REASON = { max: 2_000 };

/** State of a dead letter: it waits for an operator, or was replayed, or was discarded. */
export const DEAD_LETTER_STATES = ['waiting', 'replayed', 'discarded'] as const;
/** One of `DEAD_LETTER_STATES`. */
export type DeadLetterState = (typeof DEAD_LETTER_STATES)[number];

/**
 * A dead letter as the platform's operators see it (interface page, section 11): its origin and reason, never
 * its content.
 */
export class DeadLetterResource {
  @Matching(UUID, UUID_FORM) readonly id!: string;
  /** Without the installation's prefix, as is the group. */
  @NonEmptyText(NAME) readonly topic!: string;
  /** The consumer group that dead-lettered it. */
  @NonEmptyText(NAME) readonly group!: string;
  @NonEmptyText(REASON) readonly reason!: string;
  /** How often it was tried alone; 0 where it could not be parsed. */
  @WholeNumber(COUNT) readonly attempts!: number;
  /** When it was dead-lettered: ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly at!: string;
  /** `X-Request-Id` of the original request. */
  @OrNull() @NonEmptyText(NAME) readonly request_id!: string | null;
  @OneOf(DEAD_LETTER_STATES) readonly state!: DeadLetterState;
  @OrNull() @Timestamp() readonly handled_at!: string | null;
  /** Who handled it: `admin`, the holder of the admin secret. */
  @OrNull() @NonEmptyText(NAME) readonly handled_by!: string | null;
}
