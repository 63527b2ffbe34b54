import type { CommissionRuleResource } from '@truetally/node';

export type Standing = 'in force' | 'later' | 'before';

/**
 * Which rule of each partner holds at an instant: the one that began last. Right only for the whole list of a site.
 * @param now ISO 8601
 */
export function standingOf(
  rules: readonly CommissionRuleResource[],
  now: string,
): ReadonlyMap<string, Standing> {
  const newest = new Map<string, CommissionRuleResource>();
  for (const rule of rules) {
    if (rule.effective_from > now) continue;
    const former = newest.get(partnerOf(rule));
    if (former === undefined || isAfter(rule, former)) newest.set(partnerOf(rule), rule);
  }
  return new Map(
    rules.map((rule) => {
      if (rule.effective_from > now) return [rule.id, 'later'];
      return [rule.id, newest.get(partnerOf(rule)) === rule ? 'in force' : 'before'];
    }),
  );
}

/** Of two with one beginning, the one that was made later. */
function isAfter(rule: CommissionRuleResource, former: CommissionRuleResource): boolean {
  return rule.effective_from === former.effective_from
    ? rule.created_at > former.created_at
    : rule.effective_from > former.effective_from;
}

function partnerOf({ provider, partner_id: partner }: CommissionRuleResource): string {
  return JSON.stringify([provider, partner]);
}
