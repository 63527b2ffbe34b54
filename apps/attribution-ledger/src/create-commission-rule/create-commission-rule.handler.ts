import {
  type CommissionRuleFields,
  type CreateCommissionRule,
  CreatedCommissionRule,
} from '@truetally/contracts/attribution';
import { resourceRefusals } from '@truetally/contracts/resource';
import { compileReader } from '@truetally/contracts/validation';
import { failure, fingerprint, type Reply, uuidFromFingerprint } from '@truetally/kernel';
import type { OutboxRelay } from '@truetally/persistence';
import { claimKey, keepReply, KEPT_REPLY_BYTES } from '@truetally/resource/idempotent-replies';
import { whileAvailable } from '@truetally/service';
import type { ClientBase } from 'pg';
import { SITE_ERASED } from '../domain/site-erased.js';
import { type RuleAuthor, type RuleStore, TooManyRulesError } from '../storage/rule.store.js';

const readKept = compileReader(CreatedCommissionRule);

export class CreateCommissionRuleHandler {
  constructor(
    private readonly rules: RuleStore,
    private readonly relay: OutboxRelay,
  ) {}

  /** The quota is an answer: any error that passes `whileAvailable` counts as an outage, and its message would be tried for ever. */
  async handle(asked: CreateCommissionRule, correlationId: string): Promise<Reply<CreatedCommissionRule>> {
    const reply = await whileAvailable(async () => {
      try {
        return await this.rules.transaction((client) => this.once(client, asked, correlationId));
      } catch (error) {
        if (error instanceof TooManyRulesError) return tooMany(error);
        throw error;
      }
    });
    if ('ok' in reply && reply.ok.is_new) this.relay.wake();
    return reply;
  }

  /** With a client's key, which has the first answer for a day. A refusal is not kept. */
  private async once(
    client: ClientBase,
    asked: CreateCommissionRule,
    correlationId: string,
  ): Promise<Reply<CreatedCommissionRule>> {
    const { request_id: requestId, workspace_id, actor, idempotency = null, ...fields } = asked;
    // The audit log's name of a caller is its own.
    const caller = { sub: actor, email: null, key_id: null, key_prefix: null };
    const command = { workspace_id, actor: caller, idempotency };
    const claim = await claimKey(client, command, correlationId);
    if (claim.kind === 'other-request') return resourceRefusals.keyOfAnotherRequest();
    if (claim.kind === 'under-way') return resourceRefusals.keyUnderWay();
    if (claim.kind === 'full') return resourceRefusals.keysUsedUp(KEPT_REPLY_BYTES);
    if (claim.kind === 'replay') {
      const kept = readKept(claim.data);
      if (!kept.ok) throw new Error('The kept answer of a commission rule cannot be read.');
      return { ok: { ...kept.value, replayed: true } };
    }
    // Derived from the request, so that a redelivery gets the same answer.
    const id = uuidFromFingerprint(fingerprint(['commission-rule', requestId, correlationId]));
    const reply = await this.create(client, id, fields, { workspaceId: workspace_id, actor });
    if ('ok' in reply) await keepReply(client, command, reply.ok);
    return reply;
  }

  private async create(
    client: ClientBase,
    id: string,
    fields: CommissionRuleFields,
    by: RuleAuthor,
  ): Promise<Reply<CreatedCommissionRule>> {
    const rule = await this.rules.add(client, id, fields, by);
    if (rule === undefined) return { error: SITE_ERASED };
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
}

function tooMany({ most }: TooManyRulesError): Reply<never> {
  const details = { commission_rules: [`must not be more than ${most}`] };
  return failure('CONFLICT', 'The quota of commission_rules is used up.', details);
}
