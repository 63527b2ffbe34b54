import type { AskEvents, EventPlaces } from '@truetally/contracts/analytics';
import { cursorOf, failure, readCursor, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { requestKeyOf, sessionKeyOf } from '../domain/keys.js';
import type { TrafficReads } from '../storage/traffic-reads.js';

/** Which events of a site match, newest first; their content is ingestion's (interface page, section 9). */
export const listEvents =
  (reads: Pick<TrafficReads, 'page'>) =>
  async (asked: AskEvents): Promise<Reply<EventPlaces>> => {
    const { site_id: siteId, session_id: sessionId, request_id: requestId, cursor, limit } = asked;
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) {
      const details = { cursor: ['must be the next_cursor of a page'] };
      return failure('VALIDATION_ERROR', 'Some fields break a rule.', details);
    }
    const found = await whileAvailable(() =>
      reads.page({
        siteId,
        eventType: asked.event_type,
        sessionKey: sessionId === null ? null : sessionKeyOf(siteId, sessionId),
        requestKey: requestId === null ? null : requestKeyOf(siteId, requestId),
        eventIds: asked.event_ids,
        receivedFrom: asked.received_from ?? null,
        receivedTo: asked.received_to ?? null,
        after,
        limit: limit + 1,
      }),
    );
    const events = found.slice(0, limit).map(({ eventId, receivedAt }) => ({
      event_id: eventId,
      received_at: receivedAt,
    }));
    const last = found[limit - 1];
    const isLast = found.length <= limit || last === undefined;
    return { ok: { events, next_cursor: isLast ? null : cursorOf({ at: last.at, id: last.eventId }) } };
  };
