import { Identifier, Matching, Nested, NonEmptyText, OneOf, OrNull } from '../validation/decorators.js';
import { Timestamp } from '../validation/decorators.js';
import { SHA_256, SHA_256_FORM, UUID, UUID_FORM } from '../validation/forms.js';
import { SEQUENCE, SEQUENCE_FORM } from './sealed-record.js';

const ID = { max: 128 };
const REASON = { max: 2_000 };
const COUNTED = /^\d{1,18}$/;
const COUNTED_FORM = 'a whole number as text';

/** The message of a query about one site's chain. */
export class AskChain {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
}

/** The newest record of a chain. */
export class ChainHeadResource {
  @Matching(SEQUENCE, SEQUENCE_FORM) readonly sequence!: string;
  @Matching(SHA_256, SHA_256_FORM) readonly hash!: string;
  @Timestamp() readonly recorded_at!: string;
}

/** The first record that cannot be true; without its ids where it is missing. */
export class BrokenRecord {
  @Matching(SEQUENCE, SEQUENCE_FORM) readonly sequence!: string;
  @OrNull() @Matching(UUID, UUID_FORM) readonly record_id!: string | null;
  @OrNull() @Identifier(ID) readonly order_id!: string | null;
  @NonEmptyText(REASON) readonly reason!: string;
}

export const CHAIN_STATES = ['sound', 'broken'] as const;
/** One of `CHAIN_STATES`. */
export type ChainState = (typeof CHAIN_STATES)[number];

/** What was verified last, and whether a record is known to be broken. */
export class ChainVerification {
  @OneOf(CHAIN_STATES) readonly state!: ChainState;
  @Matching(SEQUENCE, SEQUENCE_FORM) readonly from_sequence!: string;
  /** The last sound record; of a chain without records `0`. */
  @Matching(COUNTED, COUNTED_FORM) readonly to_sequence!: string;
  @Matching(SHA_256, SHA_256_FORM) readonly to_hash!: string;
  @Timestamp() readonly started_at!: string;
  @Timestamp() readonly finished_at!: string;
  /** Stays until a verification that includes the record is sound. */
  @OrNull() @Nested(() => BrokenRecord) readonly broken!: BrokenRecord | null;
}

/** `data` of `GET /partner-attribution/chain` (interface page, section 6). */
export class ChainResource {
  @Matching(UUID, UUID_FORM) readonly website_id!: string;
  @OrNull() @Nested(() => ChainHeadResource) readonly head!: ChainHeadResource | null;
  @OrNull() @Nested(() => ChainVerification) readonly last_verification!: ChainVerification | null;
}
