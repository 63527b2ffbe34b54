import { Inject, Injectable } from '@nestjs/common';
import { readListTouchesMessage, type ListTouchesReply } from '@truetally/contracts/attribution';
import { cursorOf, readCursor } from '@truetally/kernel';
import { UnreadableError } from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import { refusedCursor } from '../domain/refused-cursor.js';
import { TouchStore } from '../storage/touch.store.js';

@Injectable()
export class ListTouchesHandler {
  constructor(@Inject(TouchStore) private readonly touches: TouchStore) {}

  async handle(message: unknown): Promise<ListTouchesReply> {
    const decoded = readListTouchesMessage(message);
    if (!decoded.ok) throw new UnreadableError(`Not a request to list touches: ${decoded.error}.`);
    const { site_id: siteId, limit, cursor } = decoded.value;
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
