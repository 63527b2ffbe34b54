import type { RawRow } from '../domain/read-settlement-row.js';

/** Credentials of a merchant's account at a network. */
export interface NetworkAccount {
  readonly publisherId: string;
  readonly apiToken: string;
}

export interface NetworkRequest {
  readonly method: 'GET' | 'POST';
  /** Relative to the base URL, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The time span of a pull: since the previous pull, or the whole span of a first one. */
export interface PullSpan {
  readonly sinceMs: number | null;
  readonly untilMs: number;
}

/** What an answer says besides its transactions: the next page; null at the end of the span. */
export interface NetworkPage {
  readonly next: string | null;
}

/**
 * The requests and answers of one network. It only translates: calling, rate limits and the handling of rows
 * are common to all.
 */
export interface NetworkConnector {
  readonly defaultBaseUrl: string;
  /** The network's rate limit per account. */
  readonly callsPerMinute: number;
  /** Whether it reports when it changed a transaction. */
  readonly isChangeTimed: boolean;
  /** Cursor of a pull's first page: a text of at most 500 characters, like all later cursors. */
  firstPage(span: PullSpan): string;
  request(page: string, account: NetworkAccount): NetworkRequest;
  /** The names that lead to the array of transactions in an answer; none when the answer is the array. */
  readonly rowsAt: readonly string[];
  /** @param transaction JSON from `readJson`, so that no digit is lost */
  toRow(transaction: unknown): RawRow;
  /**
   * @param rest of the answer, with an empty array in place of its transactions
   * @returns undefined for a truncated or foreign answer, which is requested again
   */
  read(page: string, rest: unknown): NetworkPage | undefined;
  /**
   * The first half of a page whose answer is too large; the pages behind it are as small.
   * @returns null where it cannot be made smaller
   */
  narrower(page: string): string | null;
}

export const DAY_MS = 86_400_000;
/** The longest window that both networks accept. */
export const WINDOW_DAYS = 31;
const SHORTEST_WINDOW_MS = 3_600_000;
const SECOND_MS = 1_000;
/** The span of a first pull. */
export const FIRST_PULL_DAYS = 93;
/** Changes may become visible later than their timestamp. */
export const OVERLAP_DAYS = 2;

/** Start of the changes to request again, because late ones may have appeared. */
export function changesSince({ sinceMs, untilMs }: PullSpan): number {
  if (sinceMs === null) return untilMs - FIRST_PULL_DAYS * DAY_MS;
  // The last pull is in the future where the clock was set back: no window ends before it begins.
  return Math.min(sinceMs, untilMs) - OVERLAP_DAYS * DAY_MS;
}

/** Start of the sales to request again: sales of the last month change without a date of their own. */
export function salesSince(span: PullSpan): number {
  return Math.min(changesSince(span), span.untilMs - WINDOW_DAYS * DAY_MS);
}

/** Half of a window, in whole seconds as networks write times; undefined below an hour. */
export function halfOf(windowMs: number): number | undefined {
  const halfMs = Math.floor(windowMs / 2 / SECOND_MS) * SECOND_MS;
  return halfMs < SHORTEST_WINDOW_MS ? undefined : halfMs;
}

/** A name in lower case; empty for what is no text. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}
