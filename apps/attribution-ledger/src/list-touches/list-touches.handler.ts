import type { TouchResource } from '@truetally/contracts/attribution';
import type { Page, SitePageQuery } from '@truetally/contracts/resource';
import { cursorOf, readCursor, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { refusedCursor } from '../domain/refused-cursor.js';
import { type TouchStore } from '../storage/touch.store.js';

export class ListTouchesHandler {
  constructor(private readonly touches: TouchStore) {}

  async handle({ site_id: siteId, limit, cursor }: SitePageQuery): Promise<Reply<Page<TouchResource>>> {
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) return refusedCursor();
    const position = after === null ? null : { recordedAt: after.at, id: after.id };
    // One extra row shows whether another page follows.
    const found = await whileAvailable(() => this.touches.list(siteId, limit + 1, position));
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1)?.position : undefined;
    return {
      ok: {
        items: page.map(({ touch }) => touch),
        next_cursor: last === undefined ? null : cursorOf({ at: last.recordedAt, id: last.id }),
      },
    };
  }
}
