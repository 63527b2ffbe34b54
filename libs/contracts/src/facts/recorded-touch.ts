import type { TouchResource } from '../attribution/touch-command.js';

/** The value of `touches.recorded.v1`: what is shown of a touch, and its site; its click value in no form. */
export interface RecordedTouchFact extends TouchResource {
  readonly site_id: string;
}
