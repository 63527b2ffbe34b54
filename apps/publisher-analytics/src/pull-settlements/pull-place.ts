import { MAX_CURSOR_LENGTH } from '@truetally/contracts/jobs';
import { fail, type Result, succeed } from '@truetally/kernel';

/** Position of a pull, a job's cursor. */
export interface Place {
  /** Its end time. */
  readonly untilMs: number;
  /** The network's own cursor. */
  readonly page: string;
  /** Of the settings that it began with. */
  readonly version: number;
  /** That were read before. */
  readonly pages: number;
}

/** More than twice the hours of the longest span by both of its dates, which are the smallest windows. */
export const MOST_PAGES = 10_000;

/**
 * The cursor behind a page; null at the end. What a network names is bounded: a job holds no cursor of any length, and names that
 * alternate would keep it going without an end.
 * @param page the network's next one
 * @returns otherwise why the pull ends, for the merchant
 */
export function following(place: Place, page: string | null): Result<string | null, string> {
  if (page === null) return succeed(null);
  const pages = place.pages + 1;
  if (pages > MOST_PAGES) return fail(`The network's answers had no end after ${MOST_PAGES} of them.`);
  const cursor = writePlace({ ...place, page, pages });
  // In bytes, because it is part of keys of indexes, too.
  return Buffer.byteLength(cursor) > MAX_CURSOR_LENGTH
    ? fail('The network named the continuation of its answer by a longer text than is read.')
    : succeed(cursor);
}

export function writePlace({ untilMs, page, version, pages }: Place): string {
  return JSON.stringify([untilMs, page, version, pages]);
}

/** Our own cursor from the previous step. */
export function readPlace(cursor: string): Place {
  const [untilMs, page, version, pages] = JSON.parse(cursor) as [number, string, number, number];
  return { untilMs, page, version, pages };
}
