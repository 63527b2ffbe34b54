import type { TouchResource } from '../attribution/touch-command.js';

/**
 * The value of `touches.recorded.v1`: the public fields of a touch and its site, without its click value in
 * any form.
 */
export interface RecordedTouchFact extends TouchResource {
  readonly site_id: string;
}
