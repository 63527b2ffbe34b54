import type { EventResource, ReadEvents } from '@truetally/contracts/events';
import type { Page } from '@truetally/contracts/resource';
import { cursorBehind, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { EventReads } from '../storage/event-reads.js';

/** The content of stored events, which only this service has; one that is gone is left out. */
export const readEvents =
  (reads: EventReads) =>
  async ({ site_id: siteId, events, next_cursor }: ReadEvents): Promise<Reply<Page<EventResource>>> => {
    const { items, isCut } = await whileAvailable(() => reads.read(siteId, events));
    const last = items.at(-1);
    if (!isCut || last === undefined) return { ok: { items, next_cursor } };
    // Of the list of analytics, which orders events by the time of storage and then by the id, too.
    return { ok: { items, next_cursor: cursorBehind(last.received_at, last.event_id) } };
  };
