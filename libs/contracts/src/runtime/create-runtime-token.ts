import { Matching } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';

/** The body of `POST /runtime/tokens` (interface page, section 2). */
export class RuntimeTokenRequest {
  @Matching(UUID, UUID_FORM) site_id!: string;
}
