import { Always, Matching, NonEmptyText, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';

/** The body of `POST /runtime/tokens` (interface page, section 2). */
export class RuntimeTokenRequest {
  @Matching(UUID, UUID_FORM) site_id!: string;
}

const TOKEN = { max: 4_096 };

/** `data` of `POST /runtime/tokens`. */
export class RuntimeTokenAnswer {
  @NonEmptyText(TOKEN) readonly token!: string;
  @Always('Bearer') readonly token_type!: 'Bearer';
  /** Seconds. */
  @WholeNumber(COUNT) readonly expires_in!: number;
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly expires_at!: string;
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
}
