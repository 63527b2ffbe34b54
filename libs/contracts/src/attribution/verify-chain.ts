import { fail, succeed } from '@truetally/kernel';
import type { BodyReading } from '../resource/request.js';
import { Matching, Optional } from '../validation/decorators.js';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
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

const validate = compileValidator(VerificationBody, { unknownFields: 'refused' });

/** Every broken rule, or what is to be verified; the site's id in lower case. */
export function readVerification(
  body: unknown,
): BodyReading<{ readonly siteId: string; readonly fromSequence: string }> {
  const violations = validate(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { website_id, from_sequence } = body as VerificationBody;
  return succeed({ siteId: website_id.toLowerCase(), fromSequence: from_sequence ?? '1' });
}
