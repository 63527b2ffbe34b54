import { Flag, Identifier, Matching, Nested, NonEmptyText } from '../validation/decorators.js';
import { OneOf, OrAbsent, OrNull, Readable, Timestamp } from '../validation/decorators.js';
import { DECIMAL_TEXT, DECIMAL_TEXT_FORM, PROVIDER, PROVIDER_FORM } from '../validation/forms.js';
import { SHA_256, SHA_256_FORM, UUID, UUID_FORM } from '../validation/forms.js';
import { CURRENCY_FORM, currencyOf } from '../management/locale.js';

const PARTNER_ID = { max: 128 };
const ID = { max: 128 };
const ACTOR = { max: 300 };
const ROUTE = { max: 300 };
const KEY = { max: 255 };

/** A share of the commissionable amount, or an amount per order. */
export const COMMISSION_RULE_TYPES = ['percentage', 'fixed'] as const;
/** One of `COMMISSION_RULE_TYPES`. */
export type CommissionRuleType = (typeof COMMISSION_RULE_TYPES)[number];

/** What a partner earns from `effective_from` on, until a later rule for the same partner. Rules are never changed. */
export class CommissionRuleFields {
  /** The site. */
  @Matching(UUID, UUID_FORM) readonly website_id!: string;
  @Matching(PROVIDER, PROVIDER_FORM) readonly provider!: string;
  /** Null applies to every partner of the provider without a rule of its own. */
  @OrNull() @Identifier(PARTNER_ID) readonly partner_id!: string | null;
  @OneOf(COMMISSION_RULE_TYPES) readonly type!: CommissionRuleType;
  /** Canonical decimal, a fraction of the commissionable amount: `0.05`; null when fixed. */
  @OrNull() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly rate!: string | null;
  /** Decimal string of `currency`, per order; null when a percentage. */
  @OrNull() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly amount!: string | null;
  @OrNull() @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string | null;
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly effective_from!: string;
}

/** What a client's `Idempotency-Key` claims: an `IdempotencyClaim`. */
export class RuleClaim {
  @NonEmptyText(ROUTE) readonly route!: string;
  @NonEmptyText(KEY) readonly key!: string;
  @Matching(SHA_256, SHA_256_FORM) readonly fingerprint!: string;
}

/** `attribution-ledger.commands/create-commission-rule`. */
export class CreateCommissionRule extends CommissionRuleFields {
  @NonEmptyText(ID) readonly request_id!: string;
  /** The site's workspace, whose audit log records the rule. */
  @NonEmptyText(ID) readonly workspace_id!: string;
  /** The caller, as the audit log names it (`auditActor`). */
  @NonEmptyText(ACTOR) readonly actor!: string;
  @OrAbsent() @Nested(() => RuleClaim) readonly idempotency?: RuleClaim;
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
  @OrNull() @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string | null;
  @Timestamp() readonly effective_from!: string;
  @Timestamp() readonly created_at!: string;
}

/**
 * The service's answer to a new rule: `CONFLICT` when a rule for the same partner and instant has other terms. With the
 * same terms, that rule is returned.
 */
export class CreatedCommissionRule {
  @Nested(() => CommissionRuleResource) readonly rule!: CommissionRuleResource;
  /** False when the same rule existed before. */
  @Flag() readonly is_new!: boolean;
  /** Whether this is the answer of an earlier request with the same `Idempotency-Key`. */
  @OrAbsent() @Flag() readonly replayed?: boolean;
}
