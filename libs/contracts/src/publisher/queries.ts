import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';
import { Matching, Nested, NestedList, NonEmptyText, OrNull } from '../validation/decorators.js';
import { Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';
import { CurrentSettlement } from './settlement.js';

/**
 * The message on `publisher-analytics.queries/list-settlements`: settlements of one site and network, newest sale
 * first.
 */
export interface ListSettlements {
  readonly site_id: string;
  readonly provider: string;
  readonly limit: number;
  readonly cursor: string | null;
}

/** The message on `publisher-analytics.queries/list-settlement-states`: states of one settlement, newest first. */
export interface ListSettlementStates extends ListSettlements {
  readonly settlement_id: string;
}

/** The message on `publisher-analytics.queries/find-click`: the keyed hash of a reference for each candidate site. */
export interface FindClick {
  readonly sites: readonly { readonly site_id: string; readonly hash: string }[];
}

const ID = { max: 256 };
const DESTINATION = { max: 4_096 };
const SETTLEMENTS = { min: 0, max: 100_000 };

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
  /** The first one; `clicks` is their number. */
  @Nested(() => ClickResource) readonly click!: ClickResource;
  @WholeNumber(COUNT) readonly clicks!: number;
  @NestedList(() => CurrentSettlement, SETTLEMENTS) readonly settlements!: readonly CurrentSettlement[];
}

/** Reads the message; never throws. */
export function readListSettlements(message: unknown): Result<ListSettlements, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  return resultOf(listOf(reader), reader.faultsWith());
}

/** Reads the message; never throws. */
export function readListSettlementStates(message: unknown): Result<ListSettlementStates, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  const request = { ...listOf(reader), settlement_id: reader.text('settlement_id') };
  return resultOf(request, reader.faultsWith());
}

function listOf(reader: RecordReader): ListSettlements {
  return {
    site_id: reader.text('site_id'),
    provider: reader.text('provider'),
    limit: reader.integer('limit'),
    cursor: reader.textOrNull('cursor'),
  };
}

/** Reads the message; never throws. */
export function readFindClick(message: unknown): Result<FindClick, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  const sites = reader.objects('sites');
  const request = {
    sites: sites.map((site) => ({ site_id: site.text('site_id'), hash: site.text('hash') })),
  };
  return resultOf(request, reader.faultsWith(...sites));
}

function resultOf<T>(value: T, faults: readonly string[]): Result<T, string> {
  return faults.length === 0 ? succeed(value) : fail(`unreadable: ${[...new Set(faults)].join(', ')}`);
}
