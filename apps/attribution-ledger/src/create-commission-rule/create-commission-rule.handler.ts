import type { CreateCommissionRule, CreatedCommissionRule } from '@truetally/contracts/attribution';
import { failure, fingerprint, type Reply, uuidFromFingerprint } from '@truetally/kernel';
import type { OutboxRelay } from '@truetally/persistence';
import { whileAvailable } from '@truetally/service';
import { SITE_ERASED } from '../domain/site-erased.js';
import { type RuleStore, TooManyRulesError } from '../storage/rule.store.js';

export class CreateCommissionRuleHandler {
  constructor(
    private readonly rules: RuleStore,
    private readonly relay: OutboxRelay,
  ) {}

  /** The id is derived from the request, so that a redelivery gets the same answer. */
  async handle(asked: CreateCommissionRule, correlationId: string): Promise<Reply<CreatedCommissionRule>> {
    const { request_id: requestId, workspace_id: workspaceId, actor, ...fields } = asked;
    const id = uuidFromFingerprint(fingerprint(['commission-rule', requestId, correlationId]));
    const rule = await this.keep(id, fields, { workspaceId, actor });
    if (rule instanceof TooManyRulesError) return tooMany(rule);
    if (rule === undefined) return { error: SITE_ERASED };
    if (rule.id === id) this.relay.wake();
    const isSame =
      rule.type === fields.type &&
      rule.rate === fields.rate &&
      rule.amount === fields.amount &&
      rule.currency === fields.currency;
    if (isSame) return { ok: { rule, is_new: rule.id === id } };
    return failure('CONFLICT', 'Another rule holds for this partner from this instant', {
      effective_from: ['has a rule of this partner with other terms'],
    });
  }

  /** The quota is an answer: any error that passes `whileAvailable` counts as an outage, and its message would be tried for ever. */
  private keep(...rule: Parameters<RuleStore['keep']>) {
    return whileAvailable(async () => {
      try {
        return await this.rules.keep(...rule);
      } catch (error) {
        if (error instanceof TooManyRulesError) return error;
        throw error;
      }
    });
  }
}

function tooMany({ most }: TooManyRulesError): Reply<never> {
  const details = { commission_rules: [`must not be more than ${most}`] };
  return failure('CONFLICT', 'The quota of commission_rules is used up.', details);
}
