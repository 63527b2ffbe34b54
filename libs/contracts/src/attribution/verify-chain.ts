import { Matching, Optional } from '../validation/decorators.js';
import { compileReader } from '../validation/compile-validator.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { SEQUENCE, SEQUENCE_FORM } from './sealed-record.js';

/** The type of the job that verifies a site's chain. */
export const LEDGER_VERIFY = 'ledger.verify';
/** Its only step; params `{ site_id, from_sequence }`. */
export const VERIFY_CHAIN = 'verify-chain';

/** The body of `POST /partner-attribution/chain/verifications` (interface page, section 6). */
export class VerificationBody {
  @Matching(UUID, UUID_FORM) website_id!: string;
  /** Default: 1, the whole chain. */
  @Optional() @Matching(SEQUENCE, SEQUENCE_FORM) from_sequence?: string | null;
}

/** Every broken rule, or what is to be verified. */
export const validateVerification = compileReader(VerificationBody, { unknownFields: 'refused' });
