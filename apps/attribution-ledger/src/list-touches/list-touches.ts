import type { TouchResource } from '@truetally/contracts/attribution';
import { type Page, type SitePageQuery, resourceRefusals } from '@truetally/contracts/resource';
import { cursorOf, readCursor, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { TouchStore } from '../storage/touch.store.js';

export const listTouches =
  (touches: TouchStore) =>
  async ({ site_id: siteId, limit, cursor }: SitePageQuery): Promise<Reply<Page<TouchResource>>> => {
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) return resourceRefusals.badCursor();
    const position = after === null ? null : { recordedAt: after.at, id: after.id };
    // One extra row shows whether another page follows.
    const found = await whileAvailable(() => touches.list(siteId, limit + 1, position));
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1)?.position : undefined;
    return {
      ok: {
        items: page.map(({ touch }) => touch),
        next_cursor: last === undefined ? null : cursorOf({ at: last.recordedAt, id: last.id }),
      },
    };
  };
