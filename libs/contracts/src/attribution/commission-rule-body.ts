import {
  fail,
  type FieldErrors,
  formatDecimal,
  formatInstant,
  formatMinor,
  parseInstant,
  type Result,
  succeed,
} from '@truetally/kernel';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import {
  Decimal,
  Identifier,
  Matching,
  NonEmptyText,
  OneOf,
  Optional,
  Timestamp,
} from '../validation/decorators.js';
import { PROVIDER, PROVIDER_FORM } from '../validation/forms.js';
import { isJsonObject } from '../validation/shape.js';
import { AmountReader } from './amount-reader.js';
import {
  COMMISSION_RULE_TYPES,
  type CommissionRuleFields,
  type CommissionRuleType,
} from './commission-rule.js';

const ID = { max: 128 };
/** 0.0001 % is finer than any contract. */
const RATE_DECIMALS = 6;
const WHOLE = 1n;

/** Body of `POST /partner-attribution/commission-rules` (interface page, section 7). */
export class CommissionRuleBody {
  @Identifier(ID) website_id!: string;
  @Matching(PROVIDER, PROVIDER_FORM) provider!: string;
  @Optional() @Identifier(ID) partner_id?: string | null;
  @OneOf(COMMISSION_RULE_TYPES) type!: CommissionRuleType;
  @Optional() @Decimal() rate?: unknown;
  @Optional() @Decimal() amount?: unknown;
  @Optional() @NonEmptyText(ID) currency?: string | null;
  @Timestamp() effective_from!: string;
}

const validate = compileValidator(CommissionRuleBody, { unknownFields: 'refused' });

type Members = Readonly<Record<string, unknown>>;

/**
 * The site that the body names, in lower case, even when the rest is invalid; undefined when it names none.
 */
export function websiteIdOfRule(body: unknown): string | undefined {
  const websiteId = isJsonObject(body) ? body['website_id'] : undefined;
  return typeof websiteId === 'string' ? websiteId.toLowerCase() : undefined;
}

/** Validates the body on its own. Returns every broken rule, or the rule in its canonical form. */
export function readCommissionRule(body: unknown): Result<CommissionRuleFields, FieldErrors> {
  const violations = [...validate(body)];
  if (!isJsonObject(body)) return fail(toFieldErrors(violations));
  const amounts = new AmountReader(body['currency']);
  const terms = body['type'] === 'fixed' ? readFixed(body, amounts) : readPercentage(body, amounts);
  violations.push(...amounts.violations);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { website_id, provider, partner_id, type, effective_from } = body as unknown as CommissionRuleBody;
  const effectiveFrom = parseInstant(effective_from);
  if (terms === undefined || effectiveFrom === undefined) {
    throw new Error('A commission rule that breaks no rule could not be read.');
  }
  return succeed({
    website_id: website_id.toLowerCase(),
    provider,
    partner_id: partner_id ?? null,
    type,
    ...terms,
    effective_from: formatInstant(effectiveFrom.epochMs),
  });
}

type Terms = Pick<CommissionRuleFields, 'amount' | 'currency' | 'rate'>;

/** A fraction of the commissionable amount. */
function readPercentage(body: Members, amounts: AmountReader): Terms | undefined {
  const isPercentage = body['type'] === 'percentage';
  if (isPercentage) refuseAbsentOrPresent(body, amounts, ['rate'], ['amount', 'currency']);
  const rate = amounts.finite('rate', body['rate'], 'not negative', RATE_DECIMALS);
  if (rate === undefined) return undefined;
  if (rate.units > WHOLE * 10n ** BigInt(rate.scale)) {
    amounts.break('rate', `must be at most 1, the whole amount; got ${formatDecimal(rate)}`);
  }
  return { rate: formatDecimal(rate), amount: null, currency: null };
}

/** A fixed amount per order. */
function readFixed(body: Members, amounts: AmountReader): Terms | undefined {
  refuseAbsentOrPresent(body, amounts, ['amount', 'currency'], ['rate']);
  const amount = amounts.amount('amount', body['amount'], 'not negative');
  const { currency } = body;
  if (amount === undefined || typeof currency !== 'string') return undefined;
  return { rate: null, amount: formatMinor(amount, currency), currency };
}

function refuseAbsentOrPresent(
  body: Members,
  amounts: AmountReader,
  required: readonly string[],
  refused: readonly string[],
): void {
  const isAbsent = (name: string): boolean => (body[name] ?? undefined) === undefined;
  const type = String(body['type']);
  for (const name of required.filter(isAbsent)) amounts.break(name, `is required when type is ${type}`);
  for (const name of refused.filter((one) => !isAbsent(one))) {
    amounts.break(name, `must be absent when type is ${type}`);
  }
}
