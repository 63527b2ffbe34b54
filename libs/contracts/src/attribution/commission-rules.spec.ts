import { describe, expect, it } from '@jest/globals';
import { readJson } from '@truetally/kernel';
import {
  ATTRIBUTION_LEDGER,
  type CommissionRuleFields,
  type CommissionRuleResource,
  readCommissionRule,
} from './index.js';

const SITE = '0b7c1f5e-2a53-4c55-8f0e-6f1f6a5f2d11';
const PERCENTAGE = {
  website_id: SITE.toUpperCase(),
  provider: 'awin',
  type: 'percentage',
  rate: 0.05,
  effective_from: '2026-01-01T01:00:00+01:00',
};
const FIXED = { ...PERCENTAGE, partner_id: 'p-1', type: 'fixed', rate: null, amount: '2.5', currency: 'EUR' };

const FIELDS: CommissionRuleFields = {
  website_id: SITE,
  provider: 'awin',
  partner_id: null,
  type: 'percentage',
  rate: '0.05',
  amount: null,
  currency: null,
  effective_from: '2026-01-01T00:00:00.000Z',
};
const RULE: CommissionRuleResource = { id: 'r', ...FIELDS, created_at: '2026-01-02T00:00:00.000Z' };

function judge(body: unknown): unknown {
  const reading = readJson(JSON.stringify(body));
  if (!reading.ok) throw new Error(reading.error.message);
  const read = readCommissionRule(reading.value.value);
  return read.ok ? read.value : read.error;
}

describe('the body of a commission rule', () => {
  it('the body of a commission rule is a share of the commissionable amount, in one spelling', () => {
    expect(judge(PERCENTAGE)).toEqual(FIELDS);
    for (const rate of ['0.050', JSON.rawJSON('5e-2')])
      expect(judge({ ...PERCENTAGE, rate })).toEqual(FIELDS);
    for (const rate of [0, 1, '1.00'])
      expect(judge({ ...PERCENTAGE, rate })).toMatchObject({ type: 'percentage' });
  });

  it('the body of a commission rule is an amount of one currency per order', () => {
    expect(judge(FIXED)).toMatchObject({ partner_id: 'p-1', rate: null, amount: '2.50', currency: 'EUR' });
    expect(judge({ ...FIXED, amount: 300, currency: 'JPY' })).toMatchObject({ amount: '300' });
  });

  it.each<[Record<string, unknown>, Record<string, string[]>]>([
    [{ rate: 1.01 }, { rate: ['must be at most 1, the whole amount; got 1.01'] }],
    [{ rate: '-0.1' }, { rate: ['must be at least 0; got -0.1'] }],
    [{ rate: '0.0000001' }, { rate: ['must have at most 6 decimals; got 7'] }],
    [{ rate: null }, { rate: ['is required when type is percentage'] }],
    [
      { amount: '1.00', currency: 'EUR' },
      {
        amount: ['must be absent when type is percentage'],
        currency: ['must be absent when type is percentage'],
      },
    ],
    [
      { type: 'fixed' },
      {
        amount: ['is required when type is fixed'],
        currency: ['is required when type is fixed'],
        rate: ['must be absent when type is fixed'],
      },
    ],
    [{ ...FIXED, amount: '1.005' }, { amount: ['must have at most 2 decimals in EUR; got 3'] }],
    [{ ...FIXED, amount: -1 }, { amount: ['must be at least 0; got -1'] }],
    [
      { ...FIXED, currency: 'XAU' },
      {
        currency: ['must be an active ISO 4217 code in upper case that has a minor unit'],
      },
    ],
    [
      { provider: 'Awin', effective_from: 'today', bonus: 1 },
      {
        provider: ['must be a lower-case slug of at most 64 characters; got 4 characters'],
        effective_from: ['must be an ISO 8601 date and time with an offset; got 5 characters'],
        bonus: ['is not a known field'],
      },
    ],
  ])('the body of a commission rule is refused with %j, by every rule that it breaks', (change, details) => {
    expect(judge({ ...PERCENTAGE, ...change })).toEqual(details);
  });

  it('the body of a commission rule is refused when it is no object', () => {
    expect(judge([])).toEqual({ body: ['must be an object; got an empty array'] });
  });
});

describe('commission rules between gateway and ledger', () => {
  const { createCommissionRule, listCommissionRules } = ATTRIBUTION_LEDGER.operations;
  const request = { request_id: 'r', workspace_id: 'w', actor: 'key:abcd1234', ...FIELDS };
  const readCreated = createCommissionRule.answerReader(request);
  const list = { site_id: SITE, limit: 50, cursor: null };
  const readPage = listCommissionRules.answerReader(list);

  it('commission rules arrive as they were sent', () => {
    expect(createCommissionRule.read(JSON.parse(createCommissionRule.encode(request)))).toEqual({
      ok: true,
      value: request,
    });
    expect(listCommissionRules.read(JSON.parse(listCommissionRules.encode(list)))).toEqual({
      ok: true,
      value: list,
    });
    const created = { rule: RULE, is_new: true };
    expect(readCreated(created)).toEqual({ ok: true, value: created });
    const page = { items: [RULE, { ...RULE, id: SITE }], next_cursor: 'c' };
    expect(readPage(page)).toEqual({ ok: true, value: page });
  });

  it('messages of commission rules are refused, and never throw, when a part is missing', () => {
    expect(createCommissionRule.read({ ...request, request_id: undefined })).toEqual({
      ok: false,
      error: 'unreadable: request_id',
    });
    expect(listCommissionRules.read('x').ok).toBe(false);
    expect(readCreated({ is_new: true })).toEqual({ ok: false, error: 'unreadable: rule' });
    expect(readPage({ items: [7], next_cursor: null })).toMatchObject({ ok: false });
    for (const nothing of [null, undefined, [], 7]) {
      expect(readCreated(nothing).ok).toBe(false);
      expect(readPage(nothing).ok).toBe(false);
    }
  });
});
