import type { Attribution, CommissionRuleType, TouchDirection } from '@truetally/contracts/attribution';
import { allocate, type Decimal, formatMinor, roundHalfEven } from '@truetally/kernel';
import { type AttributionRule, sharersOf, SHARING_REASONS } from './attribution-models.js';
import { daysBefore, type InstantColumn } from './instants.js';

/** What the commission depends on in a touch. */
export interface KnownTouch {
  readonly touchId: string;
  readonly provider: string;
  readonly direction: TouchDirection;
  readonly partnerId: string | null;
  readonly occurredAt: InstantColumn;
}

export interface KnownRule {
  readonly provider: string;
  readonly partnerId: string | null;
  readonly type: CommissionRuleType;
  readonly rate: Decimal | null;
  /** Minor units of `currency`. */
  readonly amount: bigint | null;
  readonly currency: string | null;
  readonly effectiveFrom: InstantColumn;
}

export interface CommissionBasis {
  readonly currency: string;
  readonly purchasedAt: InstantColumn;
  readonly touchIds: readonly string[];
  readonly remainingCommissionable: bigint;
  readonly isCancelled: boolean;
  /** The rule in force when the record is written. */
  readonly rule: AttributionRule;
}

export interface Commission {
  readonly total: bigint;
  /** One per touch id of the order, in order; their shares sum to the total. */
  readonly attribution: readonly Attribution[];
}

/**
 * The commission of an order as a function of what remains of it. The touches that share it by the site's
 * model share equally: each earns its own rule on an equal part. It is rounded once per order, half to even,
 * so that the differences between entries always sum to the commission of what remains. Shares are rounded by
 * the largest remainders.
 */
export function commissionOf(
  basis: CommissionBasis,
  touches: ReadonlyMap<string, KnownTouch>,
  rules: readonly KnownRule[],
): Commission {
  const judged = choose(
    basis.touchIds.map((touchId) => judge(touchId, basis, touches.get(touchId), rules)),
    basis.rule.model,
  );
  const sharing = judged.filter((one) => one.rule !== undefined);
  const scale = Math.max(0, ...sharing.map(({ rule }) => rule?.rate?.scale ?? 0));
  const unit = 10n ** BigInt(scale);
  const parts = judged.map(({ rule }) => (rule === undefined ? 0n : exactPart(rule, basis, scale)));
  const sum = parts.reduce((left, right) => left + right, 0n);
  const total = sharing.length === 0 ? 0n : roundHalfEven(sum, BigInt(sharing.length) * unit);
  const shares = allocate(total, parts);
  return {
    total,
    attribution: judged.map(({ touchId, rule, outcome, reason }, index) => ({
      touch_id: touchId,
      outcome,
      reason: rule !== undefined && basis.isCancelled ? 'order_cancelled' : reason,
      share: formatMinor(shares[index] ?? 0n, basis.currency),
    })),
  };
}

interface Judged extends Pick<Attribution, 'outcome' | 'reason'> {
  readonly touchId: string;
  /** Empty for an unknown touch. */
  readonly occurredAt: InstantColumn;
  /** Only for an eligible touch. */
  readonly rule?: KnownRule;
}

/** Keeps the rules only of those eligible touches that share by the model. */
function choose(judged: readonly Judged[], model: AttributionRule['model']): readonly Judged[] {
  const sharers = sharersOf(
    judged.filter(({ rule }) => rule !== undefined),
    model,
  );
  return judged.map(({ rule, ...one }) => {
    if (rule === undefined) return one;
    if (sharers.has(one.touchId)) return { ...one, rule, reason: SHARING_REASONS[model] };
    return { ...one, outcome: 'refused', reason: 'other_touch_wins' };
  });
}

function judge(
  touchId: string,
  basis: CommissionBasis,
  touch: KnownTouch | undefined,
  rules: readonly KnownRule[],
): Judged {
  if (touch === undefined) {
    return { touchId, occurredAt: '', outcome: 'unmatched', reason: 'unknown_touch' };
  }
  const { occurredAt } = touch;
  const refused = (reason: string): Judged => ({ touchId, occurredAt, outcome: 'refused', reason });
  if (touch.direction === 'outbound') return refused('outbound_touch');
  if (occurredAt > basis.purchasedAt) return refused('after_purchase');
  const { lookbackDays } = basis.rule;
  const isTooOld = lookbackDays !== null && occurredAt < daysBefore(basis.purchasedAt, lookbackDays);
  if (isTooOld) return refused('outside_lookback');
  const rule = ruleInForce(touch, basis.purchasedAt, rules);
  if (rule === undefined) return refused('no_commission_rule');
  if (rule.type === 'fixed' && rule.currency !== basis.currency) return refused('other_currency');
  return { touchId, occurredAt, outcome: 'attributed', reason: '', rule };
}

/** The partner's own rule if one is in force, otherwise the provider's; the latest of each. */
function ruleInForce(
  touch: KnownTouch,
  purchasedAt: InstantColumn,
  rules: readonly KnownRule[],
): KnownRule | undefined {
  let found: KnownRule | undefined;
  for (const rule of rules) {
    if (rule.provider !== touch.provider || rule.effectiveFrom > purchasedAt) continue;
    if (rule.partnerId !== null && rule.partnerId !== touch.partnerId) continue;
    if (found === undefined || isNearer(rule, found)) found = rule;
  }
  return found;
}

function isNearer(rule: KnownRule, other: KnownRule): boolean {
  if ((rule.partnerId === null) !== (other.partnerId === null)) return rule.partnerId !== null;
  return rule.effectiveFrom > other.effectiveFrom;
}

/** What the touch alone would earn, in minor units times 10^scale. */
function exactPart(rule: KnownRule, basis: CommissionBasis, scale: number): bigint {
  if (basis.isCancelled || basis.remainingCommissionable <= 0n) return 0n;
  if (rule.type === 'fixed') return (rule.amount ?? 0n) * 10n ** BigInt(scale);
  const { units, scale: digits } = rule.rate ?? { units: 0n, scale: 0 };
  return units * 10n ** BigInt(scale - digits) * basis.remainingCommissionable;
}
