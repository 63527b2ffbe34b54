import { decodeTrackEvent, encodeTrackEvent, NO_REFUSALS } from '@truetally/contracts/events';
import { type JsonCut, type JsonReading, type JsonTexts, readJson } from '@truetally/kernel';
import { EVENT_CUT, EVENTS_CUT, type PreparedEvent, prepareEvent } from '../events/prepare-event.js';

const NOW_MS = Date.parse('2026-06-15T12:00:00.000Z');
const RANDOM_ID = 'b2c0ffee-0000-4000-8000-000000000000';

/** Prepares the text of a body like the gateway. */
export function prepareText(text: string, cut: JsonCut = EVENT_CUT) {
  const { value, texts } = readingOf(text, cut);
  return prepareRead(value, texts?.[0]);
}

/** Prepares the events of a batch's text like the gateway. */
export function prepareBatch(text: string) {
  const { value, texts } = readingOf(text, EVENTS_CUT);
  return (value as { readonly events: readonly unknown[] }).events.map((event, index) =>
    prepareRead(event, texts?.[index]),
  );
}

function readingOf(text: string, cut: JsonCut): JsonReading {
  const reading = readJson(text, cut);
  if (!reading.ok) throw new Error(reading.error.message);
  return reading.value;
}

function prepareRead(event: unknown, texts: JsonTexts | undefined) {
  return prepareEvent({
    event,
    texts,
    siteId: 'site-1',
    trust: 'browser',
    index: null,
    nowMs: NOW_MS,
    randomId: () => RANDOM_ID,
  });
}
export const prepare = (event: unknown) => prepareText(JSON.stringify(event));

/** As ingestion receives it. */
export function received(prepared: PreparedEvent) {
  const message = encodeTrackEvent({
    siteId: 'site-1',
    requestId: 'r',
    trust: 'browser',
    refusals: NO_REFUSALS,
    events: [prepared],
  });
  const decoded = decodeTrackEvent(message);
  const event = decoded.ok ? decoded.value.events[0] : undefined;
  if (event === undefined) throw new Error('The wire does not hold the event.');
  return event;
}
