import { Matching, NonEmptyText, OrNull, Timestamp } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';

const ACTOR = { max: 300 };
const NAME = { max: 100 };
const RESOURCE_ID = { max: 300 };

/** Who changed what (interface page, section 9). It names resources, never their content. */
export class AuditEntryResource {
  @Matching(UUID, UUID_FORM) readonly id!: string;
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly at!: string;
  /** A user by the issuer's subject, an API key by its id; null for the platform itself. */
  @OrNull() @NonEmptyText(ACTOR) readonly actor!: string | null;
  @NonEmptyText(NAME) readonly action!: string;
  @NonEmptyText(NAME) readonly resource!: string;
  @NonEmptyText(RESOURCE_ID) readonly resource_id!: string;
}
