import { describe, expect, it } from '@jest/globals';
import { parseDecimal } from '@truetally/kernel';
import fc from 'fast-check';
import { type CommissionBasis, commissionOf, type KnownRule, type KnownTouch } from './commission.js';

const BASIS: CommissionBasis = {
  currency: 'EUR',
  purchasedAt: '2026-01-31 09:30:00+00',
  touchIds: ['t1'],
  remainingCommissionable: 10_000n,
  isCancelled: false,
  rule: { model: 'linear', lookbackDays: null },
};

function touch(given: Partial<KnownTouch> = {}): KnownTouch {
  return {
    touchId: 't1',
    provider: 'awin',
    direction: 'inbound',
    partnerId: 'p1',
    occurredAt: '2026-01-30 09:30:00+00',
    ...given,
  };
}

function percentage(rate: string, given: Partial<KnownRule> = {}): KnownRule {
  return {
    provider: 'awin',
    partnerId: null,
    type: 'percentage',
    rate: parseDecimal(rate) ?? null,
    amount: null,
    currency: null,
    effectiveFrom: '2026-01-01 00:00:00+00',
    ...given,
  };
}

function fixed(amount: bigint, given: Partial<KnownRule> = {}): KnownRule {
  return { ...percentage('0'), type: 'fixed', rate: null, amount, currency: 'EUR', ...given };
}

function known(...touches: readonly KnownTouch[]): ReadonlyMap<string, KnownTouch> {
  return new Map(touches.map((one) => [one.touchId, one]));
}

function outcome(one: KnownTouch | undefined, rules: readonly KnownRule[], basis = BASIS) {
  const { attribution, total } = commissionOf(basis, one === undefined ? new Map() : known(one), rules);
  return { ...attribution[0], total };
}

describe('a touch', () => {
  const rules = [percentage('0.05')];

  it.each([
    ['is unmatched while nobody knows it', undefined, rules, 'unmatched', 'unknown_touch'],
    ['leads away', touch({ direction: 'outbound' }), rules, 'refused', 'outbound_touch'],
    [
      'came after the purchase',
      touch({ occurredAt: '2026-01-31 09:30:00.000001+00' }),
      rules,
      'refused',
      'after_purchase',
    ],
    [
      'came with the purchase',
      touch({ occurredAt: BASIS.purchasedAt }),
      rules,
      'attributed',
      'shared_equally',
    ],
    ['has no rule', touch({ provider: 'cj' }), rules, 'refused', 'no_commission_rule'],
    [
      'has no rule yet',
      touch(),
      [percentage('0.05', { effectiveFrom: '2026-02-01 00:00:00+00' })],
      'refused',
      'no_commission_rule',
    ],
    [
      'has a rule from the very instant of the purchase',
      touch(),
      [percentage('0.05', { effectiveFrom: BASIS.purchasedAt })],
      'attributed',
      'shared_equally',
    ],
    [
      'has a rule from a microsecond after the purchase',
      touch(),
      [percentage('0.05', { effectiveFrom: '2026-01-31 09:30:00.000001+00' })],
      'refused',
      'no_commission_rule',
    ],
    ['earns in another currency', touch(), [fixed(100n, { currency: 'USD' })], 'refused', 'other_currency'],
  ])('%s', (_, one, given, expected, reason) => {
    expect(outcome(one, given)).toMatchObject({ outcome: expected, reason });
  });

  it('earns by the latest rule of its partner, else by the latest of its provider', () => {
    const own = percentage('0.10', { partnerId: 'p1' });
    const ownLater = percentage('0.20', { partnerId: 'p1', effectiveFrom: '2026-01-15 00:00:00+00' });
    const provider = percentage('0.05', { effectiveFrom: '2026-01-20 00:00:00+00' });
    const other = percentage('0.99', { partnerId: 'p2' });
    expect(outcome(touch(), [own, ownLater, provider, other]).total).toBe(2_000n);
    expect(outcome(touch({ partnerId: null }), [own, ownLater, provider, other]).total).toBe(500n);
  });

  it('keeps its attribution when the order is cancelled, and earns nothing', () => {
    const basis = { ...BASIS, isCancelled: true, remainingCommissionable: 0n };
    expect(outcome(touch(), rules, basis)).toMatchObject({
      outcome: 'attributed',
      reason: 'order_cancelled',
      share: '0.00',
      total: 0n,
    });
  });

  it('earns its part of a fixed amount beside one that earns a percentage', () => {
    const rules = [fixed(200n, { partnerId: 'p1' }), percentage('0.05', { partnerId: 'p2' })];
    const pair = known(touch(), touch({ touchId: 't2', partnerId: 'p2' }));
    const { total, attribution } = commissionOf({ ...BASIS, touchIds: ['t1', 't2'] }, pair, rules);
    expect([total, ...attribution.map(({ share }) => share)]).toEqual([350n, '1.00', '2.50']);
  });

  it('earns a fixed amount as long as anything remains', () => {
    expect(outcome(touch(), [fixed(250n)], { ...BASIS, remainingCommissionable: 1n }).total).toBe(250n);
    expect(outcome(touch(), [fixed(250n)], { ...BASIS, remainingCommissionable: 0n }).total).toBe(0n);
  });
});

describe('the lookback', () => {
  const week = { ...BASIS, rule: { model: 'linear', lookbackDays: 7 } } as const;
  const rules = [percentage('0.05')];

  it.each([
    ['exactly that old', '2026-01-24 09:30:00+00', 'attributed', 'shared_equally'],
    ['a microsecond older', '2026-01-24 09:29:59.999999+00', 'refused', 'outside_lookback'],
    ['later than the purchase', '2026-01-31 09:30:00.1+00', 'refused', 'after_purchase'],
  ])('judges a touch that is %s', (_name, occurredAt, expected, reason) => {
    expect(outcome(touch({ occurredAt }), rules, week)).toMatchObject({ outcome: expected, reason });
  });

  it('comes before the question which rule is in force', () => {
    const old = touch({ occurredAt: '2025-01-01 00:00:00+00' });
    expect(outcome(old, [], week)).toMatchObject({ reason: 'outside_lookback' });
    expect(outcome(old, [], BASIS)).toMatchObject({ reason: 'no_commission_rule' });
  });
});

describe('the model', () => {
  const touches = [
    touch({ touchId: 'b', occurredAt: '2026-01-10 00:00:00+00' }),
    touch({ touchId: 'a', occurredAt: '2026-01-10 00:00:00+00' }),
    touch({ touchId: 'd', occurredAt: '2026-01-20 00:00:00.5+00' }),
    touch({ touchId: 'c', occurredAt: '2026-01-20 00:00:00.5+00' }),
    // It would win by either model, but must not earn.
    touch({ touchId: 'without rule', provider: 'cj', occurredAt: '2026-01-31 09:30:00+00' }),
    touch({ touchId: 'outbound', direction: 'outbound', occurredAt: '2025-01-01 00:00:00+00' }),
  ];
  const decide = (model: CommissionBasis['rule']['model'], given: Partial<CommissionBasis> = {}) => {
    const touchIds = ['unknown', ...touches.map(({ touchId }) => touchId)];
    const basis = { ...BASIS, touchIds, rule: { model, lookbackDays: null }, ...given };
    const { total, attribution } = commissionOf(basis, known(...touches), [percentage('0.05')]);
    const winners = attribution.filter(({ outcome: one }) => one === 'attributed');
    return { total, attribution, winners: winners.map(({ touch_id }) => touch_id) };
  };

  it.each([
    ['linear', ['b', 'a', 'd', 'c'], 'shared_equally'],
    ['first_touch', ['a'], 'first_touch'],
    ['last_touch', ['c'], 'last_touch'],
  ] as const)('%s: of equal times the smallest id, of those that may earn', (model, winners, reason) => {
    const decided = decide(model);
    expect(decided.winners).toEqual(winners);
    expect(decided.total).toBe(500n);
    for (const { touch_id, outcome: one, reason: why, share } of decided.attribution) {
      const isWinner = winners.some((winner) => winner === touch_id);
      const isLoser = 'abcd'.includes(touch_id) && !isWinner;
      if (isWinner) expect(why).toBe(reason);
      else expect(share).toBe('0.00');
      if (isLoser) expect([one, why]).toEqual(['refused', 'other_touch_wins']);
      else expect(why).not.toBe('other_touch_wins');
    }
  });

  it('gives the whole commission to the one that wins, by its own rule', () => {
    const rules = [percentage('0.05'), percentage('0.5', { partnerId: 'p2' })];
    const [first, last] = [touch({ touchId: 'first', occurredAt: '2026-01-01 00:00:00+00' }), touch()];
    const pair = known({ ...first, partnerId: 'p2' }, last);
    const basis = { ...BASIS, touchIds: ['first', 't1'] };
    const totals = (['first_touch', 'last_touch', 'linear'] as const).map(
      (model) => commissionOf({ ...basis, rule: { model, lookbackDays: null } }, pair, rules).total,
    );
    expect(totals).toEqual([5_000n, 500n, 2_750n]);
  });

  it('still names the touches that lost when the order is cancelled', () => {
    const cancelled = decide('last_touch', { isCancelled: true, remainingCommissionable: 0n });
    expect(cancelled.total).toBe(0n);
    expect(cancelled.attribution.filter(({ reason }) => reason === 'order_cancelled')).toHaveLength(1);
    expect(cancelled.attribution.filter(({ reason }) => reason === 'other_touch_wins')).toHaveLength(3);
  });

  it('orders ids by their code points', () => {
    const same = '2026-01-20 00:00:00+00';
    const pair = known(
      touch({ touchId: '\u{1f642}', occurredAt: same }),
      touch({ touchId: '\u{ffee}', occurredAt: same }),
    );
    const basis = { ...BASIS, touchIds: ['\u{1f642}', '\u{ffee}'] };
    const decided = commissionOf({ ...basis, rule: { model: 'last_touch', lookbackDays: null } }, pair, [
      percentage('0.05'),
    ]);
    expect(decided.attribution.map(({ outcome: one }) => one)).toEqual(['refused', 'attributed']);
  });

  it('changes the shares and never their sum, over any changes and reversals', () => {
    const step = fc.record({
      model: fc.constantFrom('linear', 'last_touch', 'first_touch'),
      lookbackDays: fc.constantFrom(null, 7, 15, 365),
      part: fc.bigInt(0n, 500n),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let remaining = 5_000n;
        let sum = 0n;
        let balance = 0n;
        for (const { model, lookbackDays, part } of [...steps, { ...STEP, part: 5_000n }]) {
          remaining = part > remaining ? 0n : remaining - part;
          const rule = { model, lookbackDays } as const;
          const { total, attribution } = decide('linear', { remainingCommissionable: remaining, rule });
          sum += total - balance;
          balance = total;
          const shares = attribution.map(({ share }) => BigInt(share.replace('.', '')));
          expect(shares.reduce((left, right) => left + right, 0n)).toBe(total);
          expect(sum).toBe(total);
        }
        expect(sum).toBe(0n);
      }),
    );
  });
});

const STEP = { model: 'linear', lookbackDays: null } as const;

describe('commission', () => {
  it('a commission of 5 % of 0.30, reversed in three parts of 0.10, sums to 0.02 and not to 0.03', () => {
    const remaining = [30n, 20n, 10n, 0n];
    const totals = remaining.map(
      (remainingCommissionable) =>
        outcome(touch(), [percentage('0.05')], { ...BASIS, remainingCommissionable }).total,
    );
    expect(totals).toEqual([2n, 1n, 0n, 0n]);
    const reversed = totals.slice(1).map((total, index) => (totals[index] ?? 0n) - total);
    expect(reversed.reduce((left, right) => left + right, 0n)).toBe(2n);
  });

  it('commission shares sum to the commission, and differ from the exact parts by less than one unit', () => {
    const rates = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(rates, fc.bigInt(0n, 2n ** 63n - 1n), (millis, remainingCommissionable) => {
        const touchIds = millis.map((_, index) => `t${index}`);
        const touches = touchIds.map((touchId) => touch({ touchId, partnerId: touchId }));
        const rules = millis.map((rate, index) =>
          percentage(`0.${String(rate).padStart(6, '0')}`, { partnerId: `t${index}` }),
        );
        const basis = { ...BASIS, currency: 'JPY', touchIds, remainingCommissionable };
        const { total, attribution } = commissionOf(basis, known(...touches), rules);
        const shares = attribution.map(({ share }) => BigInt(share));
        expect(shares.reduce((left, right) => left + right, 0n)).toBe(total);
        const denominator = 1_000_000n * BigInt(millis.length);
        for (const [index, share] of shares.entries()) {
          const distance = share * denominator - BigInt(millis[index] ?? 0) * remainingCommissionable;
          expect(distance < 2n * denominator && distance > -2n * denominator).toBe(true);
        }
        expect(total >= 0n).toBe(true);
      }),
    );
  });

  it('commission depends on the remaining amount alone: any way of reversing an order returns it all', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 1_000n), { maxLength: 20 }), (parts) => {
        const whole = parts.reduce((left, right) => left + right, 0n);
        let remaining = whole;
        let commission = outcome(touch(), [percentage('0.0375')], {
          ...BASIS,
          remainingCommissionable: whole,
        }).total;
        for (const part of parts) {
          remaining -= part;
          const basis = { ...BASIS, remainingCommissionable: remaining };
          const after = outcome(touch(), [percentage('0.0375')], basis).total;
          expect(after <= commission).toBe(true);
          commission = after;
        }
        expect(commission).toBe(0n);
      }),
    );
  });
});
