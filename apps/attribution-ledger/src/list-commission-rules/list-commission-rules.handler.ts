import { Inject, Injectable } from '@nestjs/common';
import {
  readListCommissionRulesMessage,
  type ListCommissionRulesReply,
} from '@truetally/contracts/attribution';
import { cursorOf, readCursor } from '@truetally/kernel';
import { UnreadableError } from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import { refusedCursor } from '../domain/refused-cursor.js';
import { RuleStore } from '../storage/rule.store.js';

@Injectable()
export class ListCommissionRulesHandler {
  constructor(@Inject(RuleStore) private readonly rules: RuleStore) {}

  async handle(message: unknown): Promise<ListCommissionRulesReply> {
    const decoded = readListCommissionRulesMessage(message);
    if (!decoded.ok) throw new UnreadableError(`Not a request to list commission rules: ${decoded.error}.`);
    const { site_id: siteId, limit, cursor } = decoded.value;
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) return refusedCursor();
    // One extra row shows whether another page follows.
    const found = await whileAvailable(() => this.rules.list(siteId, limit + 1, after));
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1)?.position : undefined;
    return {
      ok: {
        items: page.map(({ rule }) => rule),
        next_cursor: last === undefined ? null : cursorOf(last),
      },
    };
  }
}
