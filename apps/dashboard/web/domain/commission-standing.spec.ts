import { describe, expect, it } from '@jest/globals';
import type { CommissionRuleResource } from '@truetally/node';
import { standingOf } from './commission-standing.js';

const NOW = '2026-06-15T12:00:00.000Z';

function rule(
  id: string,
  from: string,
  changes: Partial<CommissionRuleResource> = {},
): CommissionRuleResource {
  return {
    id,
    website_id: 'site',
    provider: 'awin',
    partner_id: null,
    type: 'percentage',
    rate: '0.1',
    amount: null,
    currency: null,
    effective_from: from,
    created_at: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}

describe('which commission rule holds', () => {
  it('the rule that began last is in force, for each partner by itself', () => {
    const rules = [
      rule('old', '2026-01-01T00:00:00.000Z'),
      rule('now', '2026-06-01T00:00:00.000Z'),
      rule('soon', '2026-07-01T00:00:00.000Z'),
      rule('partner', '2026-02-01T00:00:00.000Z', { partner_id: 'p' }),
    ];
    expect([...standingOf(rules, NOW)]).toEqual([
      ['old', 'before'],
      ['now', 'in force'],
      ['soon', 'later'],
      ['partner', 'in force'],
    ]);
  });

  it('the later made one of two that begin together is in force', () => {
    const later = { created_at: '2026-05-01T00:00:00.000Z' };
    const rules = [rule('b', '2026-01-01T00:00:00.000Z', later), rule('a', '2026-01-01T00:00:00.000Z')];
    expect([...standingOf(rules, NOW)]).toEqual([
      ['b', 'in force'],
      ['a', 'before'],
    ]);
  });
});
