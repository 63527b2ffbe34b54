import type { CommissionRuleResource } from '@truetally/contracts/attribution';
import type { Page, SitePageQuery } from '@truetally/contracts/resource';
import { cursorOf, readCursor, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { refusedCursor } from '../domain/refused-cursor.js';
import { type RuleStore } from '../storage/rule.store.js';

export class ListCommissionRulesHandler {
  constructor(private readonly rules: RuleStore) {}

  async handle({
    site_id: siteId,
    limit,
    cursor,
  }: SitePageQuery): Promise<Reply<Page<CommissionRuleResource>>> {
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
