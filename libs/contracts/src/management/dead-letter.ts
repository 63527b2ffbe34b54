/** What became of a dead letter: it waits for somebody, or somebody has put it back or given it up for good. */
export const DEAD_LETTER_STATES = ['waiting', 'replayed', 'discarded'] as const;
export type DeadLetterState = (typeof DEAD_LETTER_STATES)[number];

/**
 * A message that could not be handled, as the platform's operators see it (interface page, section 11): where it came from
 * and why, and never what was in it.
 */
export interface DeadLetterResource {
  readonly id: string;
  /** Without the installation's prefix, as is the group. */
  readonly topic: string;
  /** The consumer group that gave it up. */
  readonly group: string;
  readonly reason: string;
  /** How often it was tried alone; 0 where it could not even be read. */
  readonly attempts: number;
  /** When it was given up: ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** `X-Request-Id` of the request that it was part of. */
  readonly request_id: string | null;
  readonly state: DeadLetterState;
  readonly handled_at: string | null;
  /** Who handled it: `admin`, the holder of the admin secret. */
  readonly handled_by: string | null;
}
