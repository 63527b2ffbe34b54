import type { Reply } from '@truetally/kernel';
import { recordCodec } from '../facts/record-codec.js';

/** `experiments.read-withheld`: what a session's arms withhold from it now. */
export interface ReadWithheld {
  readonly site_id: string;
  readonly session_id: string;
}

/** The campaigns that a session must not see. */
export interface Withheld {
  /** Campaigns of running experiments that have the session in their control arm. */
  readonly campaign_ids: readonly string[];
}

/** The reply on `experiments.read-withheld`. */
export type ReadWithheldReply = Reply<Withheld>;

/** The message on `experiments.read-withheld`. */
export const READ_WITHHELD = recordCodec((reader): ReadWithheld => ({
  site_id: reader.text('site_id'),
  session_id: reader.text('session_id'),
}));

/** The content of `ok` in its reply. */
export const WITHHELD = recordCodec((reader): Withheld => ({ campaign_ids: reader.texts('campaign_ids') }));
