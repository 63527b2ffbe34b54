import { decodeTrackEvent, encodeTrackEvent, NO_REFUSALS } from '@truetally/contracts/events';
import { readJson } from '@truetally/kernel';
import { type PreparedEvent, prepareEvent } from '../events/prepare-event.js';

const NOW_MS = Date.parse('2026-06-15T12:00:00.000Z');
const RANDOM_ID = 'b2c0ffee-0000-4000-8000-000000000000';

/** Prepares the text of a body like the gateway. */
export function prepareText(text: string) {
  const reading = readJson(text);
  if (!reading.ok) throw new Error(reading.error.message);
  return prepareEvent({
    event: reading.value.value,
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
