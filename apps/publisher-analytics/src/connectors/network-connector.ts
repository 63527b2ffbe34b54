import type { RawRow } from '../domain/read-settlement-row.js';

/** What opens a merchant's account at a network. */
export interface NetworkAccount {
  readonly publisherId: string;
  readonly apiToken: string;
}

export interface NetworkRequest {
  readonly method: 'GET' | 'POST';
  /** Behind the base address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Whose changes are asked for: since the pull before, or all that a first pull takes. */
export interface PullSpan {
  readonly sinceMs: number | null;
  readonly untilMs: number;
}

/** One answer of a network: its transactions, and where to go on; null at the end of the span. */
export interface NetworkPage {
  readonly rows: readonly RawRow[];
  readonly next: string | null;
}

/**
 * How one network is asked for the transactions of an account, and what its answers mean. It only translates: who calls,
 * how often and what becomes of a row is the same for all.
 */
export interface NetworkConnector {
  readonly defaultBaseUrl: string;
  /** What the network allows an account. */
  readonly callsPerMinute: number;
  /** Whether it says when it changed a transaction. */
  readonly isChangeTimed: boolean;
  /** Where a pull begins: a text of its own, of at most 500 characters, as are the places behind it. */
  firstPage(span: PullSpan): string;
  request(page: string, account: NetworkAccount): NetworkRequest;
  /**
   * @param answer JSON as `readJson` gives it, so that no digit is lost
   * @returns undefined for half an answer, or one that is none of this network's: it is asked for again
   */
  read(page: string, answer: unknown): NetworkPage | undefined;
}

export const DAY_MS = 86_400_000;
/** The longest window that both networks answer. */
export const WINDOW_DAYS = 31;
/** What a first pull takes. */
export const FIRST_PULL_DAYS = 93;
/** Changes may show up behind the time that they bear. */
export const OVERLAP_DAYS = 2;

/** From when on changes are asked for again: late ones have come meanwhile. */
export function changesSince({ sinceMs, untilMs }: PullSpan): number {
  return sinceMs === null ? untilMs - FIRST_PULL_DAYS * DAY_MS : sinceMs - OVERLAP_DAYS * DAY_MS;
}

/** From when on sales are asked for again: those of the last month are changed without a date of their own. */
export function salesSince(span: PullSpan): number {
  return Math.min(changesSince(span), span.untilMs - WINDOW_DAYS * DAY_MS);
}
