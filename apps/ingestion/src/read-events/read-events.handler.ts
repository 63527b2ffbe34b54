import type { EventResource, ReadEvents } from '@truetally/contracts/events';
import type { Page } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { EventReads } from '../storage/event-reads.js';

/** The content of stored events, which only this service has; one that is gone is left out. */
export class ReadEventsHandler {
  constructor(private readonly reads: EventReads) {}

  async handle({ site_id: siteId, events, next_cursor }: ReadEvents): Promise<Reply<Page<EventResource>>> {
    const items = await whileAvailable(() => this.reads.read(siteId, events));
    return { ok: { items, next_cursor } };
  }
}
