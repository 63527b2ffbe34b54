import type { StoredEventFact } from '@truetally/contracts/facts';

/** A fact of `events.stored.v1`. */
export type StoredEvent = StoredEventFact & { readonly properties: unknown; context: unknown };

/** What the last fact ended with: its context, which two in a row had, and its text with all that follows. */
let last: { readonly end: string; readonly context: unknown } | undefined;
/** The last characters of the last fact. */
let tail = '';

/**
 * Parses a fact. Events of a page have one context, which is most of their text and its end: where a fact ends as the one before, that
 * part is not parsed again. What follows a whole context there closes the fact, so that it is no part of another value.
 */
export function readStoredEvent(value: string): StoredEvent {
  // `endsWith` takes longer.
  if (last !== undefined && value.slice(-last.end.length) === last.end) {
    const event = JSON.parse(`${value.slice(0, -last.end.length)}}`) as StoredEvent;
    event.context = last.context;
    return event;
  }
  const event = JSON.parse(value) as StoredEvent;
  const isAlike = value.slice(-TAIL_CHARACTERS) === tail;
  tail = value.slice(-TAIL_CHARACTERS);
  last = undefined;
  if (!isAlike) return event;
  const { context } = event;
  const end = `,"context":${JSON.stringify(context)}}`;
  if (value.endsWith(end)) last = { end, context };
  return event;
}

const TAIL_CHARACTERS = 48;
