import { Inject, Injectable } from '@nestjs/common';
import {
  type CreateCommissionRuleReply,
  readCreateCommissionRuleMessage,
} from '@truetally/contracts/attribution';
import { failure, fingerprint, uuidFromFingerprint } from '@truetally/kernel';
import { UnreadableError } from '@truetally/messaging';
import { OutboxRelay } from '@truetally/persistence';
import { whileAvailable } from '@truetally/service';
import { SITE_ERASED } from '../domain/site-erased.js';
import { RuleStore } from '../storage/rule.store.js';

@Injectable()
export class CreateCommissionRuleHandler {
  constructor(
    @Inject(RuleStore) private readonly rules: RuleStore,
    @Inject(OutboxRelay) private readonly relay: OutboxRelay,
  ) {}

  /** The id is derived from the request, so that a redelivery gets the same answer. */
  async handle(message: unknown, correlationId: string): Promise<CreateCommissionRuleReply> {
    const decoded = readCreateCommissionRuleMessage(message);
    if (!decoded.ok) {
      throw new UnreadableError(`Not a request to create a commission rule: ${decoded.error}.`);
    }
    const { request_id: requestId, workspace_id: workspaceId, actor, ...fields } = decoded.value;
    const id = uuidFromFingerprint(fingerprint(['commission-rule', requestId, correlationId]));
    const rule = await whileAvailable(() => this.rules.keep(id, fields, { workspaceId, actor }));
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
}
