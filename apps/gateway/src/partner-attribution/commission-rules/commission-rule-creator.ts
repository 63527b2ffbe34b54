import { readCommissionRule, websiteIdOfRule } from '@truetally/contracts/attribution';
import type { SiteDirectory } from '../../credentials/site-directory.js';
import { refusalOf } from '../../http/errors.js';
import type { Exchange } from '../../http/exchange.js';
import { answer, refuse, refuseAs } from '../../http/respond.js';
import type { OrderLedgerClient } from '../order-ledger-client.js';
import { siteRefusal } from '../../credentials/site-access.js';

/**
 * A partner's commission from an effective date on (interface page, section 7). The same rule again returns
 * the existing one with 200.
 */
export class CommissionRuleCreator {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly client: OrderLedgerClient,
  ) {}

  async create(exchange: Exchange): Promise<void> {
    const caller = exchange.callerWithLimit();
    const body = exchange.takeBody();
    const siteId = websiteIdOfRule(body);
    const refusal = siteId === undefined ? undefined : siteRefusal(caller, siteId, this.sites);
    if (refusal !== undefined) return refuse(exchange, refusal);
    const rule = readCommissionRule(body);
    if (!rule.ok) return refuse(exchange, 'broken-rules', rule.error);
    const created = await this.client.createRule(exchange, caller, rule.value);
    if (!created.ok) return refuseAs(exchange, refusalOf(created.error), created.error.details);
    answer(exchange, created.value.is_new ? 201 : 200, JSON.stringify(created.value.rule));
  }
}
