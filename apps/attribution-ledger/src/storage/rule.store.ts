import type { CommissionRuleFields, CommissionRuleResource } from '@truetally/contracts/attribution';
import { formatMinor, minorDigitsOf, parseDecimal, type Position, toMinor } from '@truetally/kernel';
import { instantColumn } from '@truetally/contracts/attribution';
import { inTransaction } from '@truetally/persistence';
import { type AuditEntry, recordAudit } from '@truetally/service';
import type { Pool } from 'pg';
import { toMilliseconds } from '../domain/instants.js';

const COLUMNS = `id, site_id, provider, partner_id, type, rate::text, amount::text, currency, effective_from::text,
  created_at::text`;
const ADD = `
  insert into commission_rules (id, site_id, provider, partner_id, type, rate, amount, currency, effective_from, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, date_trunc('milliseconds', clock_timestamp()))
  on conflict do nothing`;
const FIND = `
  select ${COLUMNS} from commission_rules
  where site_id = $1 and provider = $2 and partner_id is not distinct from $3 and effective_from = $4`;
const FIRST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const LIST = `
  select ${COLUMNS} from commission_rules r
  where site_id = $1 and (effective_from, id) < ($2::timestamptz, $3::uuid)
  order by r.effective_from desc, r.id desc limit $4`;

interface RuleRow {
  readonly id: string;
  readonly site_id: string;
  readonly provider: string;
  readonly partner_id: string | null;
  readonly type: CommissionRuleResource['type'];
  readonly rate: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly effective_from: string;
  readonly created_at: string;
}

/** The author of a rule, for the audit log. */
export interface RuleAuthor extends Pick<AuditEntry, 'workspaceId'> {
  readonly actor: string;
}

/** Commission rules: added, never changed. */
export class RuleStore {
  constructor(private readonly pool: Pool) {}

  /**
   * Adds a rule, with its audit entry, unless one exists for the same partner and instant.
   * @returns the existing one
   */
  keep(id: string, fields: CommissionRuleFields, by: RuleAuthor): Promise<CommissionRuleResource> {
    const { website_id: siteId, provider, partner_id: partnerId } = fields;
    const effectiveFrom = instantColumn(fields.effective_from);
    const terms = [fields.type, fields.rate, minorOf(fields), fields.currency];
    return inTransaction(this.pool, async (client) => {
      const added = await client.query(ADD, [id, siteId, provider, partnerId, ...terms, effectiveFrom]);
      const { rows } = await client.query<RuleRow>(FIND, [siteId, provider, partnerId, effectiveFrom]);
      const [row] = rows;
      if (row === undefined) throw new Error('A commission rule that was added is not there.');
      const rule = toResource(row);
      if (added.rowCount === 1) {
        const change = { action: 'create', resource: 'commission_rule', resourceId: id } as const;
        await recordAudit(client, { ...by, ...change, atMs: Date.parse(rule.created_at) });
      }
      return rule;
    });
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
    const { rows } = await this.pool.query<RuleRow>(LIST, [
      siteId,
      after?.at ?? 'infinity',
      after?.id ?? FIRST_ID,
      limit,
    ]);
    return rows.map((row) => ({ rule: toResource(row), position: { at: row.effective_from, id: row.id } }));
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

function toResource(row: RuleRow): CommissionRuleResource {
  const { amount, currency } = row;
  return {
    id: row.id,
    website_id: row.site_id,
    provider: row.provider,
    partner_id: row.partner_id,
    type: row.type,
    rate: row.rate,
    amount: amount === null || currency === null ? null : formatMinor(BigInt(amount), currency),
    currency,
    effective_from: toMilliseconds(row.effective_from),
    created_at: toMilliseconds(row.created_at),
  };
}
