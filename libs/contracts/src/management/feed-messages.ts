import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';
import { isJsonObject } from '../validation/shape.js';
import type { SealedCredentials } from './integration-messages.js';
import { Flag, ListOfAnything, Matching, Nested, NestedList } from '../validation/decorators.js';
import { NonEmptyText, OrNull, Text, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';
import { JobErrorResource } from '../jobs/job-resource.js';

/** The job that reads product feeds (interface page, section 11). */
export const PRODUCTS_SYNC = 'products.sync';
/** Its step in the program that calls strangers' addresses. */
export const READ_FEED = 'read-feed';

/** Rows of a feed that are handed over together. */
export const MAX_FEED_ROWS = 1_000;

const KEY_ID = { max: 256 };
const SEALED = { max: 100_000 };
const URL_LENGTH = { max: 2_048 };
/** Of `ETag` and `Last-Modified`; a longer one is not kept. */
export const MAX_VALIDATOR = 1_024;
const VALIDATOR = { max: MAX_VALIDATOR };
const ROWS = { min: 0, max: MAX_FEED_ROWS };
/** A row may break several rules. */
const ERRORS = { min: 0, max: MAX_FEED_ROWS * 100 };

/** Which reading of which feed: a job may read its feed several times, when a process was killed. */
export class FeedRun {
  @Matching(UUID, UUID_FORM) readonly job_id!: string;
  @Matching(UUID, UUID_FORM) readonly integration_id!: string;
  /** A new one for each reading: of an earlier reading nothing is taken any more. */
  @Matching(UUID, UUID_FORM) readonly run_id!: string;
}

/** The message of `management.begin-feed-run`. */
export class BeginFeedRun extends FeedRun {}

class Sealed implements SealedCredentials {
  @NonEmptyText(KEY_ID) readonly key_id!: string;
  @NonEmptyText(SEALED) readonly sealed!: string;
}

/** The reply: the input of a reading. For services only, never part of an answer. */
export class FeedAccess {
  @NonEmptyText(URL_LENGTH) readonly url!: string;
  @Nested(() => Sealed) readonly credentials!: SealedCredentials;
  /** Of the feed when it was read to its end last; null when it had none, or its settings have changed since. */
  @OrNull() @Text(VALIDATOR) readonly etag!: string | null;
  @OrNull() @Text(VALIDATOR) readonly last_modified!: string | null;
}

/** One row of a feed. */
export interface FeedRow {
  /** From 1. */
  readonly row: number;
  /** As an item of `PUT /products/batch`. */
  readonly product: Readonly<Record<string, unknown>>;
  /** What the reader of the feed has found already: the row is refused, and still names its product. */
  readonly faults: readonly { readonly field: string | null; readonly message: string }[];
}

/** The message of `management.store-feed-rows`: the next rows of a reading, in their order. */
export class StoreFeedRows extends FeedRun {
  /** From 1, without gaps; a repetition of the last one has no further effect. */
  @WholeNumber(COUNT) readonly sequence!: number;
  @ListOfAnything(ROWS) readonly rows!: readonly unknown[];
  /** Whether the feed was read to its end with these. */
  @Flag() readonly is_last!: boolean;
  /** With the last rows. */
  @OrNull() @Text(VALIDATOR) readonly etag!: string | null;
  @OrNull() @Text(VALIDATOR) readonly last_modified!: string | null;
}

/** The reply: what became of the rows. */
export class StoredFeedRows {
  @WholeNumber(COUNT) readonly stored!: number;
  @WholeNumber(COUNT) readonly failed!: number;
  @NestedList(() => JobErrorResource, ERRORS) readonly errors!: readonly JobErrorResource[];
}

/** Reads `rows` of `StoreFeedRows`; never throws. */
export function readFeedRows(rows: readonly unknown[]): Result<readonly FeedRow[], string> {
  const read = rows.map(readFeedRow);
  const known = read.filter((row) => row !== undefined);
  return known.length === read.length ? succeed(known) : fail('unreadable: rows');
}

function readFeedRow(value: unknown): FeedRow | undefined {
  const reader = RecordReader.from(value);
  if (reader === undefined) return undefined;
  const row = reader.integer('row');
  const [product, faults] = [reader.anything('product'), reader.anything('faults')];
  const isRead = reader.faults.length === 0 && isJsonObject(product) && Array.isArray(faults);
  if (!isRead || !faults.every(isFault)) return undefined;
  return { row, product, faults };
}

function isFault(value: unknown): value is FeedRow['faults'][number] {
  if (!isJsonObject(value)) return false;
  const { field, message } = value;
  return (field === null || typeof field === 'string') && typeof message === 'string';
}
