import type { CommissionRuleResource } from '@truetally/contracts/attribution';
import { type Page, type SitePageQuery, resourceRefusals } from '@truetally/contracts/resource';
import { cursorOf, readCursor, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { RuleStore } from '../storage/rule.store.js';

export const listCommissionRules =
  (rules: RuleStore) =>
  async ({ site_id: siteId, limit, cursor }: SitePageQuery): Promise<Reply<Page<CommissionRuleResource>>> => {
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) return resourceRefusals.badCursor();
    // One extra row shows whether another page follows.
    const found = await whileAvailable(() => rules.list(siteId, limit + 1, after));
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1)?.position : undefined;
    return {
      ok: {
        items: page.map(({ rule }) => rule),
        next_cursor: last === undefined ? null : cursorOf(last),
      },
    };
  };
