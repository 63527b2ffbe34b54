import {
  type CommissionRuleFields,
  type CommissionRulePage,
  type ConversionAccepted,
  type ConversionCommand,
  type CreatedCommissionRule,
  encodeCreateCommissionRule,
  encodeListCommissionRules,
  encodeReadOrder,
  encodeRecordConversion,
  fingerprintOf,
  readCommissionRulePage,
  readConversionAccepted,
  readCreatedCommissionRule,
  type RecordConversion,
} from '@truetally/contracts/attribution';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import { isJsonObject } from '@truetally/contracts/validation';
import { fail, type Failure, failure, type Result, succeed } from '@truetally/kernel';
import type { AskRequest, KafkaAskClient } from '@truetally/messaging';
import { actorName } from '../credentials/actor-name.js';
import type { Caller } from '../credentials/caller.js';
import type { Exchange } from '../http/exchange.js';
import type { SitePage } from './site-query.js';

/** A site with its commission settings, as known to this gateway. */
export type ConversionSite = Pick<RecordConversion, 'settings' | 'siteId'>;

/** Asks the attribution ledger about orders and commissions, and reads its answers. */
export class OrderLedgerClient {
  constructor(private readonly asker: Pick<KafkaAskClient, 'ask'>) {}

  /** Requests of one order go to one partition, in sequence. */
  record(
    exchange: Exchange,
    { siteId, settings }: ConversionSite,
    command: ConversionCommand,
  ): Promise<Result<ConversionAccepted, Failure>> {
    const { requestId } = exchange;
    const value = encodeRecordConversion({
      siteId,
      requestId,
      settings,
      fingerprint: fingerprintOf(command),
      command,
    });
    const question = { to: TOPICS.recordConversion.name, key: `${siteId}:${command.orderId}`, value };
    return this.ask(exchange, question, readConversionAccepted);
  }

  /** The ledger's answer is forwarded to the client. */
  readOrder(
    exchange: Exchange,
    orderId: string,
    { siteId, limit, cursor }: SitePage,
  ): Promise<Result<object, Failure>> {
    const value = encodeReadOrder({ site_id: siteId, order_id: orderId, limit, cursor });
    const question = {
      to: TOPICS.readOrder.name,
      key: `${siteId}:${orderId}`,
      value,
      kind: 'query',
    } as const;
    return this.ask(exchange, question, (ok) => (isJsonObject(ok) ? succeed(ok) : fail('not an order')));
  }

  createRule(
    exchange: Exchange,
    caller: Caller,
    rule: CommissionRuleFields,
  ): Promise<Result<CreatedCommissionRule, Failure>> {
    const value = encodeCreateCommissionRule({
      request_id: exchange.requestId,
      workspace_id: caller.workspaceId,
      actor: actorName(caller),
      ...rule,
    });
    const question = { to: OPERATIONS.createCommissionRule, key: rule.website_id, value };
    return this.ask(exchange, question, readCreatedCommissionRule);
  }

  listRules(
    exchange: Exchange,
    { siteId, limit, cursor }: SitePage,
  ): Promise<Result<CommissionRulePage, Failure>> {
    const value = encodeListCommissionRules({ site_id: siteId, limit, cursor });
    const question = {
      to: OPERATIONS.listCommissionRules,
      key: siteId,
      value,
      kind: 'query',
    } as const;
    return this.ask(exchange, question, readCommissionRulePage);
  }

  private async ask<T>(
    { requestId, traceparent }: Exchange,
    question: Pick<AskRequest, 'key' | 'kind' | 'to' | 'value'>,
    read: (ok: unknown) => Result<T, string>,
  ): Promise<Result<T, Failure>> {
    const reply = await this.asker.ask({ ...question, requestId, traceparent });
    if ('error' in reply) return fail(reply.error);
    const answer = read(reply.ok);
    return answer.ok ? answer : fail(failure('INTERNAL_ERROR', answer.error).error);
  }
}
