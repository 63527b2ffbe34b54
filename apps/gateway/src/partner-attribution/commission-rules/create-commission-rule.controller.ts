import { Controller, Post } from '@nestjs/common';
import {
  CommissionRuleBody,
  CommissionRuleResource,
  readCommissionRule,
  websiteIdOfRule,
} from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Asker } from '../../ask/ask.js';
import { claimOf, REPLAYED_HEADER } from '../../ask/resource.js';
import { actorName } from '../../credentials/actor-name.js';
import { siteRefusal } from '../../credentials/site-access.js';
import { SiteDirectory } from '../../credentials/site-directory.js';
import type { Exchange } from '../../http/exchange.js';
import { readConditions } from '../../http/request-headers.js';
import { answer, refuse } from '../../http/respond.js';
import { Credential, JsonBody, Answers, Refuses } from '../../http/route-rules.js';

@Controller('api/v1/partner-attribution')
export class CreateCommissionRuleController {
  constructor(
    private readonly asker: Asker,
    private readonly sites: SiteDirectory,
  ) {}

  /**
   * A partner's commission from an effective date on (interface page, section 7). The same rule again returns
   * the existing one with 200.
   */
  @Post('commission-rules')
  @Credential('commission-rule-writer')
  @JsonBody(CommissionRuleBody)
  @Answers(CommissionRuleResource, 201, 200)
  @Refuses(409)
  async create(exchange: Exchange): Promise<void> {
    const caller = exchange.callerWithLimit();
    const body = exchange.takeBody();
    const conditions = readConditions(exchange.incoming);
    if (!conditions.ok) return refuse(exchange, 'broken-rules', conditions.error);
    const siteId = websiteIdOfRule(body);
    const refusal = siteId === undefined ? undefined : siteRefusal(caller, siteId, this.sites);
    if (refusal !== undefined) return refuse(exchange, refusal);
    const rule = readCommissionRule(body);
    if (!rule.ok) return refuse(exchange, 'broken-rules', rule.error);
    const claim = claimOf(exchange, conditions.value, body);
    const created = await this.asker.find(exchange, OPERATIONS.createCommissionRule, {
      request_id: exchange.requestId,
      workspace_id: caller.workspaceId,
      actor: actorName(caller),
      ...(claim !== null && { idempotency: claim }),
      ...rule.value,
    });
    if (created === undefined) return;
    const headers = created.replayed === true ? REPLAYED_HEADER : [];
    answer(exchange, created.is_new ? 201 : 200, JSON.stringify(created.rule), headers);
  }
}
