import { expect, it } from '@jest/globals';
import type { CreateCommissionRule } from '@truetally/contracts/attribution';
import type { OutboxRelay } from '@truetally/persistence';
import { type RuleStore, TooManyRulesError } from '../storage/rule.store.js';
import { CreateCommissionRuleHandler } from './create-commission-rule.handler.js';

it('a rule beyond the quota is refused at once, and is no outage that others wait for', async () => {
  const rules = { transaction: () => Promise.reject(new TooManyRulesError()) } as unknown as RuleStore;
  const handler = new CreateCommissionRuleHandler(rules, {} as OutboxRelay);
  expect(await handler.handle({ request_id: 'request' } as CreateCommissionRule, 'asked')).toMatchObject({
    error: { code: 'CONFLICT', details: { commission_rules: ['must not be more than 2000'] } },
  });
});
