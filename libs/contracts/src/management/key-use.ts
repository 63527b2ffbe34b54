import { Matching, NestedList, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';

/** Maximum number of keys in a message. */
export const MAX_KEY_USES = 5_000;

/** When an API key was last used, as seen by one gateway. */
export class KeyUse {
  @Matching(UUID, UUID_FORM) readonly key_id!: string;
  /** Epoch milliseconds. */
  @WholeNumber(COUNT) readonly at_ms!: number;
}

/** The message of `management.record-key-use`; nobody waits for its reply. */
export class RecordKeyUse {
  @NestedList(() => KeyUse, { min: 0, max: MAX_KEY_USES }) readonly uses!: readonly KeyUse[];
}
