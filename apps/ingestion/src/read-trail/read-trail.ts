import type { FoundTrail, ReadTrail } from '@truetally/contracts/events';
import { cursorOf, failure, readCursor, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { TrailReads } from '../storage/trail-reads.js';

/** What became of the items with a name (interface page, section 9). */
export const readTrail =
  (reads: TrailReads) =>
  async (asked: ReadTrail): Promise<Reply<FoundTrail>> => {
    const { site_id: siteId, cursor, limit } = asked;
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) {
      const details = { cursor: ['must be the next_cursor of a page'] };
      return failure('VALIDATION_ERROR', 'Some fields break a rule.', details);
    }
    const { event_ids: eventIds, client_event_id: clientEventId, request_id: requestId } = asked;
    const filter = { siteId, eventIds, clientEventId, requestId, after, limit: limit + 1 };
    return whileAvailable(async () => {
      // Before the items: what is forgotten between the two is not claimed to have been searched.
      const searched = await reads.searched(siteId);
      const found = await reads.page(filter);
      const last = found[limit - 1];
      const next_cursor = found.length <= limit || last === undefined ? null : cursorOf(last);
      return { ok: { items: found.slice(0, limit).map(({ item }) => item), next_cursor, searched } };
    });
  };
