import { type Reply } from '@truetally/kernel';
import { Identifier, Matching, OneOf, OrNull, Readable, Timestamp } from '../validation/decorators.js';
import { DECIMAL_TEXT, DECIMAL_TEXT_FORM, PROVIDER, PROVIDER_FORM } from '../validation/forms.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { CURRENCY_FORM, readCurrency } from '../management/locale.js';

const PARTNER_ID = { max: 128 };

/** A share of the commissionable amount, or an amount per order. */
export const COMMISSION_RULE_TYPES = ['percentage', 'fixed'] as const;
/** One of `COMMISSION_RULE_TYPES`. */
export type CommissionRuleType = (typeof COMMISSION_RULE_TYPES)[number];

/** What a partner earns from `effective_from` on, until a later rule for the same partner. Rules are never changed. */
export interface CommissionRuleFields {
  /** The site. */
  readonly website_id: string;
  readonly provider: string;
  /** Null applies to every partner of the provider without a rule of its own. */
  readonly partner_id: string | null;
  readonly type: CommissionRuleType;
  /** Canonical decimal, a fraction of the commissionable amount: `0.05`; null when fixed. */
  readonly rate: string | null;
  /** Decimal string of `currency`, per order; null when a percentage. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** ISO 8601 UTC with milliseconds. */
  readonly effective_from: string;
}

/** `attribution-ledger.commands/create-commission-rule`. */
export interface CreateCommissionRule extends CommissionRuleFields {
  readonly request_id: string;
  /** The site's workspace, whose audit log records the rule. */
  readonly workspace_id: string;
  /** The caller, as the audit log names it (`auditActor`). */
  readonly actor: string;
}

/** A commission rule as answers show it (interface page, section 6). */
export class CommissionRuleResource implements CommissionRuleFields {
  @Matching(UUID, UUID_FORM) readonly id!: string;
  @Matching(UUID, UUID_FORM) readonly website_id!: string;
  @Matching(PROVIDER, PROVIDER_FORM) readonly provider!: string;
  @OrNull() @Identifier(PARTNER_ID) readonly partner_id!: string | null;
  @OneOf(COMMISSION_RULE_TYPES) readonly type!: CommissionRuleType;
  @OrNull() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly rate!: string | null;
  @OrNull() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly amount!: string | null;
  @OrNull() @Readable(readCurrency, CURRENCY_FORM, 'currency') readonly currency!: string | null;
  @Timestamp() readonly effective_from!: string;
  @Timestamp() readonly created_at!: string;
}

/**
 * `CONFLICT` when a rule for the same partner and instant has other terms. With the same terms, that rule is
 * returned.
 */
export type CreateCommissionRuleReply = Reply<{
  readonly rule: CommissionRuleResource;
  readonly is_new: boolean;
}>;

/** `attribution-ledger.queries/list-commission-rules`: newest `effective_from` first. */
export interface ListCommissionRules {
  readonly site_id: string;
  readonly limit: number;
  readonly cursor: string | null;
}

/** A page of commission rules, newest first; `next_cursor` is null on the last page. */
export type ListCommissionRulesReply = Reply<{
  readonly items: readonly CommissionRuleResource[];
  readonly next_cursor: string | null;
}>;
