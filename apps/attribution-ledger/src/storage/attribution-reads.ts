import { parseDecimal } from '@truetally/kernel';
import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { KnownRule, KnownTouch } from '../domain/commission.js';

const READ_TOUCHES = `
  select t.site_id, t.touch_id, t.provider, t.direction, t.partner_id, t.occurred_at::text
  from unnest($1::uuid[]) as asked (id)
  cross join lateral (select * from touches t where t.id = asked.id limit 1) t`;

interface TouchRow {
  readonly site_id: string;
  readonly touch_id: string;
  readonly provider: string;
  readonly direction: KnownTouch['direction'];
  readonly partner_id: string | null;
  readonly occurred_at: string;
}

/** The stored ones of these touches, by site and touch id. */
export async function readTouches(
  client: ClientBase,
  touchRowIds: readonly string[],
): Promise<Map<string, Map<string, KnownTouch>>> {
  const found = new Map<string, Map<string, KnownTouch>>();
  if (touchRowIds.length === 0) return found;
  const { rows } = await client.query<TouchRow>({
    name: 'read-touches',
    text: READ_TOUCHES,
    values: [arrayLiteral(touchRowIds)],
  });
  for (const row of rows) {
    const ofSite = found.get(row.site_id) ?? new Map<string, KnownTouch>();
    found.set(row.site_id, ofSite);
    ofSite.set(row.touch_id, {
      touchId: row.touch_id,
      provider: row.provider,
      direction: row.direction,
      partnerId: row.partner_id,
      occurredAt: row.occurred_at,
    });
  }
  return found;
}

/**
 * An index has no place for "equal or both null": one look-up in it for a partner's rule, another one for a provider's. The order
 * is all of the index's: another index would pass by the rules of other partners.
 */
const ruleOf = (whose: string): string => `(
    select * from commission_rules r
    where r.site_id = asked.site_id and r.provider = asked.provider and ${whose} and r.effective_from <= asked.at
    order by r.provider desc, r.partner_id desc, r.effective_from desc limit 1
  )`;
export const READ_RULES = `
  select distinct r.site_id, r.provider, r.partner_id, r.type, r.rate::text, r.amount::text, r.currency,
    r.effective_from::text
  from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) as asked (site_id, provider, partner_id, at)
  cross join lateral (
    ${ruleOf('r.partner_id = asked.partner_id')}
    union all
    ${ruleOf('r.partner_id is null and asked.partner_id is null')}
  ) r`;

interface RuleRow {
  readonly site_id: string;
  readonly provider: string;
  readonly partner_id: string | null;
  readonly type: KnownRule['type'];
  readonly rate: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly effective_from: string;
}

/** Whose rule is asked for, and when; without a partner that of all partners of the provider. */
export interface RuleAt {
  /** As an instant of Postgres. */
  readonly at: string;
  readonly siteId: string;
  readonly provider: string;
  readonly partnerId: string | null;
}

/** The rules in force, by site: one row of the index for each, however many rules there are. */
export async function readRules(
  client: ClientBase,
  asked: readonly RuleAt[],
): Promise<Map<string, KnownRule[]>> {
  const found = new Map<string, KnownRule[]>();
  if (asked.length === 0) return found;
  const { rows } = await client.query<RuleRow>({
    name: 'read-rules',
    text: READ_RULES,
    values: [
      arrayLiteral(asked.map(({ siteId }) => siteId)),
      arrayLiteral(asked.map(({ provider }) => provider)),
      arrayLiteral(asked.map(({ partnerId }) => partnerId)),
      arrayLiteral(asked.map(({ at }) => at)),
    ],
  });
  for (const row of rows) {
    const rule: KnownRule = {
      provider: row.provider,
      partnerId: row.partner_id,
      type: row.type,
      rate: row.rate === null ? null : (parseDecimal(row.rate) ?? null),
      amount: row.amount === null ? null : BigInt(row.amount),
      currency: row.currency,
      effectiveFrom: row.effective_from,
    };
    const ofSite = found.get(row.site_id);
    if (ofSite === undefined) found.set(row.site_id, [rule]);
    else ofSite.push(rule);
  }
  return found;
}
