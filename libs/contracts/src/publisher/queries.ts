import { SitePageQuery } from '../resource/site-page.js';
import { Matching, Nested, NestedList, NonEmptyText, OrNull } from '../validation/decorators.js';
import { Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, SHA_256, SHA_256_FORM, UUID, UUID_FORM } from '../validation/forms.js';
import { CurrentSettlement } from './settlement.js';

const ID = { max: 256 };
const DESTINATION = { max: 4_096 };
const SETTLEMENTS = { min: 0, max: 100_000 };
const SITES = { min: 1, max: 100_000 };

/** Settlements of one site and network, newest sale first. */
export class ListSettlements extends SitePageQuery {
  @NonEmptyText(ID) readonly provider!: string;
}

/** States of one settlement, newest first. */
export class ListSettlementStates extends ListSettlements {
  @Matching(UUID, UUID_FORM) readonly settlement_id!: string;
}

class CandidateSite {
  @NonEmptyText(ID) readonly site_id!: string;
  @Matching(SHA_256, SHA_256_FORM) readonly hash!: string;
}

/** The keyed hash of a click's reference for each candidate site. */
export class FindClick {
  @NestedList(() => CandidateSite, SITES) readonly sites!: readonly CandidateSite[];
}

/** A click on a partner's link, as answers show it. */
export class ClickResource {
  @Matching(UUID, UUID_FORM) readonly event_id!: string;
  @NonEmptyText(ID) readonly provider!: string;
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly occurred_at!: string;
  @OrNull() @NonEmptyText(ID) readonly partner_id!: string | null;
  @OrNull() @NonEmptyText(ID) readonly campaign_id!: string | null;
  @OrNull() @NonEmptyText(ID) readonly content_id!: string | null;
  @OrNull() @NonEmptyText(ID) readonly placement_id!: string | null;
  @OrNull() @NonEmptyText(ID) readonly creative_id!: string | null;
  /** Host and path. */
  @NonEmptyText(DESTINATION) readonly destination!: string;
}

/** `data` of `GET /analytics/publishers/clicks?reference=`. */
export class FoundClick {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  /** The one that was received first, as reports credit it; `clicks` is their number, of which 10,000 are counted. */
  @Nested(() => ClickResource) readonly click!: ClickResource;
  @WholeNumber(COUNT) readonly clicks!: number;
  @NestedList(() => CurrentSettlement, SETTLEMENTS) readonly settlements!: readonly CurrentSettlement[];
}
