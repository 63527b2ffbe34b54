import { SitePageQuery } from '../resource/site-page.js';
import { Identifier, ListOf, Matching, NonEmptyText, OrNull } from '../validation/decorators.js';
import { SHA_256, SHA_256_FORM } from '../validation/forms.js';
import { ruleOf } from '../validation/rules.js';
import { RECORD_COLUMNS } from './record-seal.js';

const ID = { max: 128 };
const FORMAT = { max: 64 };
const FIELDS = { min: RECORD_COLUMNS.length, max: RECORD_COLUMNS.length };

/** A position in a site's chain: a whole number as text, from 1. */
export const SEQUENCE = /^[1-9]\d{0,17}$/;
export const SEQUENCE_FORM = 'a whole number from 1, as text';

/** `list-sealed-records`: a page of a site's chain, of one order's records or from a position. */
export class AskSealedRecords extends SitePageQuery {
  @OrNull() @Identifier(ID) readonly order_id!: string | null;
  @OrNull() @Matching(SEQUENCE, SEQUENCE_FORM) readonly from_sequence!: string | null;
}

/** Records in one page, for whoever seals them again. */
export const SEALED_RECORDS = { usual: 100, most: 500 };

const sealedField = ruleOf(
  {
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: ['string', 'null'] }],
    minItems: 2,
    maxItems: 2,
  },
  (value) =>
    Array.isArray(value) &&
    value.length === 2 &&
    typeof value[0] === 'string' &&
    (value[1] === null || typeof value[1] === 'string')
      ? undefined
      : 'must be a name and its text or null',
);

/** An item of `GET /partner-attribution/chain/records`: what was sealed (interface page, section 6). */
export class SealedRecord {
  @Matching(SEQUENCE, SEQUENCE_FORM) readonly sequence!: string;
  /** Names the fields and how they are sealed: `truetally.ledger.1`. */
  @NonEmptyText(FORMAT) readonly format!: string;
  @Matching(SHA_256, SHA_256_FORM) readonly previous_hash!: string;
  @Matching(SHA_256, SHA_256_FORM) readonly hash!: string;
  /** The record's columns in the order of sealing, each with the exact text that was sealed. */
  @ListOf(sealedField, FIELDS) readonly fields!: readonly (readonly [string, string | null])[];
}
