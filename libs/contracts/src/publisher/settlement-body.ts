import { CURRENCY_FORM, currencyOf } from '../management/locale.js';
import { compileReader } from '../validation/compile-validator.js';
import { Decimal, Identifier, ListOfAnything, Matching, OneOf } from '../validation/decorators.js';
import { Optional, Readable, Timestamp } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { MAX_SETTLEMENT_ROWS, SETTLEMENT_STATUSES, type SettlementStatus } from './settlement.js';

const ID = { max: 256 };
const REFERENCE = { max: 1_024 };

/**
 * A row in the documented format (interface page, section 8). An invalid row fails alone, and other formats of
 * networks (ids as numbers, empty cells) are accepted, too: `readSettlementRow` validates.
 */
export class SettlementRowBody {
  @Identifier(ID) provider_transaction_id!: string;
  @Optional() @Identifier(REFERENCE) click_reference?: string | null;
  @Optional() @Identifier(ID) order_reference?: string | null;
  @OneOf(SETTLEMENT_STATUSES) status!: SettlementStatus;
  @Decimal() commissionable_amount!: unknown;
  @Decimal() commission_amount!: unknown;
  @Readable(currencyOf, CURRENCY_FORM, 'currency') currency!: string;
  @Timestamp() transaction_at!: string;
  @Timestamp() updated_at!: string;
}

/** Body of `POST /integrations/{id}/settlements` as JSON, which is read row by row. */
export class SettlementUploadBody {
  @ListOfAnything({ min: 0, max: MAX_SETTLEMENT_ROWS }, () => SettlementRowBody) rows!: readonly unknown[];
}

/** Body of `POST /integrations/jobs/{type}` (interface page, section 11); other fields are ignored. */
export class WorkerJobBody {
  @Matching(UUID, UUID_FORM) site_id!: string;
  /** Of every integration of the site without it. */
  @Optional() @Matching(UUID, UUID_FORM) integration_id?: string | null;
  /** Where it is given it must be the path's, which is not signed. */
  @Optional() @Identifier({ max: 64 }) type?: string | null;
}

/** Reads and validates the body of a signed request of the platform's workers. */
export const readWorkerJobBody = compileReader(WorkerJobBody);
