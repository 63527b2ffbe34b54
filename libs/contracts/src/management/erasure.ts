import { UUID as UUID_TEXT } from '@truetally/kernel';
import { recordCodec } from '../facts/record-codec.js';
import { Flag, Identifier, Matching, Nested, NestedList, NonEmptyText } from '../validation/decorators.js';
import { OneOf, OrNull, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';
import { identifier, matching } from '../validation/rules.js';

const USER_ID = { max: 128 };
const ACTOR = { max: 300 };
const SERVICE = { max: 100 };
const SERVICES = { min: 0, max: 50 };

/** Whether a service has said that nothing of the person is left in it. */
export const CONFIRMATIONS = ['waiting', 'confirmed'] as const;
/** One of `CONFIRMATIONS`. */
export type Confirmation = (typeof CONFIRMATIONS)[number];

/** What a service has removed. */
export class RemovedOfPerson {
  @WholeNumber(COUNT) readonly profiles!: number;
  @WholeNumber(COUNT) readonly events!: number;
  @WholeNumber(COUNT) readonly submissions!: number;
  /** Rows of sessions and clicks by which the service knew the person. */
  @WholeNumber(COUNT) readonly other!: number;
}

/** A service's part in an erasure. */
export class ServiceErasure {
  @NonEmptyText(SERVICE) readonly service!: string;
  @OneOf(CONFIRMATIONS) readonly state!: Confirmation;
  @OrNull() @Timestamp() readonly confirmed_at!: string | null;
  @Nested(() => RemovedOfPerson) readonly removed!: RemovedOfPerson;
}

/** The proof of an erasure (interface page, section 9): it has nothing of the person. */
export class ErasureResource {
  @Matching(UUID, UUID_FORM) readonly id!: string;
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Timestamp() readonly requested_at!: string;
  @OrNull() @NonEmptyText(ACTOR) readonly requested_by!: string | null;
  @OrNull() @Timestamp() readonly finished_at!: string | null;
  @NestedList(() => ServiceErasure, SERVICES) readonly services!: readonly ServiceErasure[];
}

/** The answer to `DELETE /profiles/{user_id}`. */
export class ErasedProfile {
  /** The `user_id` of the path. */
  @Identifier(USER_ID) readonly id!: string;
  @Flag() readonly deleted!: boolean;
  @Matching(UUID, UUID_FORM) readonly job_id!: string;
  @Matching(UUID, UUID_FORM) readonly erasure_id!: string;
}

/** The reply to `erase-profile`: it does not name the person, because replies are kept. */
export class StartedErasure {
  @Flag() readonly deleted!: boolean;
  @Matching(UUID, UUID_FORM) readonly job_id!: string;
  @Matching(UUID, UUID_FORM) readonly erasure_id!: string;
}

/** Filters of a list of erasures. */
export const ERASURE_FILTERS = {
  site_id: matching(UUID, UUID_FORM),
  user_id: identifier(USER_ID),
} as const;

/** The body of `erase-profile`. */
export interface EraseProfile {
  readonly site_id: string;
  readonly user_id: string;
}

/** The body of `erase-profile`, on the wire. */
export const ERASE_PROFILE = recordCodec(
  (reader): EraseProfile => ({ site_id: reader.text('site_id'), user_id: reader.text('user_id') }),
  ({ site_id }) => (UUID_TEXT.test(site_id) ? [] : ['site_id']),
);
