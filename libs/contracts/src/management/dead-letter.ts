/** State of a dead letter: it waits for an operator, or was replayed, or was discarded. */
export const DEAD_LETTER_STATES = ['waiting', 'replayed', 'discarded'] as const;
export type DeadLetterState = (typeof DEAD_LETTER_STATES)[number];

/**
 * A dead letter as the platform's operators see it (interface page, section 11): its origin and reason, never
 * its content.
 */
export interface DeadLetterResource {
  readonly id: string;
  /** Without the installation's prefix, as is the group. */
  readonly topic: string;
  /** The consumer group that dead-lettered it. */
  readonly group: string;
  readonly reason: string;
  /** How often it was tried alone; 0 where it could not be parsed. */
  readonly attempts: number;
  /** When it was dead-lettered: ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** `X-Request-Id` of the original request. */
  readonly request_id: string | null;
  readonly state: DeadLetterState;
  readonly handled_at: string | null;
  /** Who handled it: `admin`, the holder of the admin secret. */
  readonly handled_by: string | null;
}
