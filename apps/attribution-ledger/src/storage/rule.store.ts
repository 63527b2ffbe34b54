import type { CommissionRuleFields, CommissionRuleResource } from '@truetally/contracts/attribution';
import { formatMinor, minorDigitsOf, parseDecimal, type Position, toMinor } from '@truetally/kernel';
import { instantColumn } from '@truetally/contracts/attribution';
import { inTransaction, tableOf } from '@truetally/persistence';
import { type AuditEntry, recordAudit } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import { toMilliseconds } from '../domain/instants.js';

interface RuleRecord extends Omit<CommissionRuleResource, 'website_id'> {
  readonly site_id: string;
}

/** Amounts are minor units, and instants as Postgres writes them. */
const RULES = tableOf<RuleRecord>('commission_rules', 'id', {
  id: 'uuid',
  site_id: 'uuid',
  provider: 'text',
  partner_id: 'text',
  type: 'text',
  rate: 'numeric',
  amount: 'numeric',
  currency: 'text',
  effective_from: 'timestamptz',
  created_at: 'timestamptz',
});
const NEW = RULES.without('created_at');
const ADD = `
  insert into commission_rules (${NEW.columns}, created_at)
  values (${NEW.parameters}, date_trunc('milliseconds', clock_timestamp())) on conflict do nothing`;
const FIND = `
  select ${RULES.selection()} from commission_rules
  where site_id = $1 and provider = $2 and partner_id is not distinct from $3 and effective_from = $4`;
const FIRST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const LIST = `
  select ${RULES.selection('r')} from commission_rules r
  where site_id = $1 and (effective_from, id) < ($2::timestamptz, $3::uuid)
  order by r.effective_from desc, r.id desc limit $4`;

/** The author of a rule, for the audit log. */
export interface RuleAuthor extends Pick<AuditEntry, 'workspaceId'> {
  readonly actor: string;
}

type RuleToAdd = [id: string, fields: CommissionRuleFields, by: RuleAuthor];

/** Rules of a site, which are never deleted: a conversion judges all of its partners'. */
const MOST_RULES = 2_000;
const LOCK = `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' rules of ' || $1, 0))`;
const COUNT = 'select count(*)::integer as rules from commission_rules where site_id = $1';

/** A site has as many rules as it may have. */
export class TooManyRulesError extends Error {
  override readonly name = 'TooManyRulesError';
  readonly most = MOST_RULES;
}

/** Commission rules: added, never changed. */
export class RuleStore {
  constructor(private readonly pool: Pool) {}

  /** The same in a transaction of its own. */
  keep(...rule: RuleToAdd): Promise<CommissionRuleResource | undefined> {
    return this.transaction((client) => this.add(client, ...rule));
  }

  transaction<T>(work: (client: ClientBase) => Promise<T>): Promise<T> {
    return inTransaction(this.pool, work);
  }

  /**
   * Adds a rule, with its audit entry, unless one exists for the same partner and instant.
   * @returns the existing one; undefined when the site has been erased
   * @throws TooManyRulesError
   */
  async add(client: ClientBase, ...[id, fields, by]: RuleToAdd): Promise<CommissionRuleResource | undefined> {
    const { website_id: siteId, provider, partner_id: partnerId } = fields;
    const effectiveFrom = instantColumn(fields.effective_from);
    const { type, rate, currency } = fields;
    const partner = { site_id: siteId, provider, partner_id: partnerId };
    const terms = { type, rate, amount: minorOf(fields), currency, effective_from: effectiveFrom };
    // Rules of one site are added one after the other, so that none is counted too late.
    await client.query(LOCK, [siteId]);
    const added = await client.query(ADD, NEW.values({ id, ...partner, ...terms }));
    const { rows } = await client.query(FIND, [siteId, provider, partnerId, effectiveFrom]);
    const [record] = rows.map(RULES.read);
    // A trigger adds nothing for an erased site.
    if (record === undefined) return undefined;
    const rule = toResource(record);
    if (added.rowCount === 1) {
      const counted = await client.query<{ rules: number }>(COUNT, [siteId]);
      if ((counted.rows[0]?.rules ?? 0) > MOST_RULES) throw new TooManyRulesError();
      const change = { action: 'create', resource: 'commission_rule', resourceId: id } as const;
      await recordAudit(client, { ...by, ...change, atMs: Date.parse(rule.created_at) });
    }
    return rule;
  }

  /**
   * A page of a site's rules, the latest `effective_from` first. @param after position of the previous page's
   * last item
   */
  async list(
    siteId: string,
    limit: number,
    after: Position | null,
  ): Promise<readonly { readonly rule: CommissionRuleResource; readonly position: Position }[]> {
    const { rows } = await this.pool.query(LIST, [
      siteId,
      after?.at ?? 'infinity',
      after?.id ?? FIRST_ID,
      limit,
    ]);
    return rows.map(RULES.read).map((record) => ({
      rule: toResource(record),
      position: { at: record.effective_from, id: record.id },
    }));
  }
}

/** The gateway has checked the amount against its currency. */
function minorOf({ amount, currency }: CommissionRuleFields): string | null {
  if (amount === null || currency === null) return null;
  const decimal = parseDecimal(amount);
  const minor = decimal === undefined ? undefined : toMinor(decimal, minorDigitsOf(currency) ?? 0);
  if (minor === undefined) throw new Error('The amount of a commission rule does not fit its currency.');
  return String(minor);
}

function toResource({ site_id, amount, currency, ...rule }: RuleRecord): CommissionRuleResource {
  return {
    ...rule,
    website_id: site_id,
    amount: amount === null || currency === null ? null : formatMinor(BigInt(amount), currency),
    currency,
    effective_from: toMilliseconds(rule.effective_from),
    created_at: toMilliseconds(rule.created_at),
  };
}
