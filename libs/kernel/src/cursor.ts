import { parseInstant } from './instant.js';
import { UUID } from './uuid.js';

/** The last position of a page. Every list is ordered by a time and then an id, newest first. */
export interface Position {
  /** Postgres' text in UTC: `2026-01-31 09:30:00.12+00`. */
  readonly at: string;
  readonly id: string;
}

/** The opaque cursor of a position: base64url without padding. */
export function cursorOf({ at, id }: Position): string {
  return btoa(`${at} ${id}`).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/**
 * The cursor behind an item of an answer.
 * @param instant ISO 8601 UTC, with as many digits as its place in the list has
 */
export function cursorBehind(instant: string, id: string): string {
  return cursorOf({ at: instant.replace('T', ' ').replace('Z', '+00'), id });
}

/** @returns undefined for an invalid cursor */
export function readCursor(cursor: string): Position | undefined {
  if (!BASE64URL.test(cursor)) return undefined;
  const parts = POSITION.exec(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')));
  const at = parts?.[1];
  const id = parts?.[2];
  if (at === undefined || id === undefined || !UUID.test(id)) return undefined;
  // Well formed, but not a time: 31 February, the year 0000. Postgres would reject it and the request would
  // fail.
  return parseInstant(at.replace(' ', 'T').replace('+00', 'Z')) === undefined ? undefined : { at, id };
}

/** Groups of four characters, and the possible rest of base64. */
const BASE64URL = /^(?:[\w-]{4}){1,40}(?:[\w-]{2,3})?$/;
const POSITION = /^(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,6})?\+00) (.*)$/;
