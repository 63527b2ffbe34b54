import { ListOf, Matching, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';
import { identifier } from '../validation/rules.js';

/** Of one question: some thousand look-ups would keep others waiting. */
export const ASKED_SESSIONS = { min: 0, max: 500 } as const;

/** The message of `read-seen-sessions`. */
export class AskSeenSessions {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @ListOf(identifier({ max: 128 }), ASKED_SESSIONS) readonly session_ids!: readonly string[];
}

/** How many of them have a stored event that no bot sent. */
export class SeenSessions {
  @WholeNumber(COUNT) readonly sessions!: number;
}
