import type { SiteDirectory } from '../../credentials/site-directory.js';
import type { Entrance } from '../../http/entrance.js';
import { refusalOf } from '../../http/errors.js';
import type { Exchange } from '../../http/exchange.js';
import { answer, refuse, refuseAs } from '../../http/respond.js';
import type { OrderLedgerClient } from '../order-ledger-client.js';
import { siteRefusal } from '../site-access.js';
import { readSitePage } from '../site-query.js';

/** A page of the site's commission rules, those in force latest first. */
export class CommissionRuleLister {
  constructor(
    private readonly entrance: Entrance,
    private readonly sites: SiteDirectory,
    private readonly client: OrderLedgerClient,
  ) {}

  async list(exchange: Exchange): Promise<void> {
    const caller = await this.entrance.receiveQuery(exchange);
    if (caller === undefined) return;
    const asked = readSitePage(exchange.query);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const { siteId, limit, cursor } = asked.value;
    const refusal = siteRefusal(caller, siteId, this.sites);
    if (refusal !== undefined) return refuse(exchange, refusal);
    const page = await this.client.listRules(exchange, { site_id: siteId, limit, cursor });
    if (!page.ok) return refuseAs(exchange, refusalOf(page.error), page.error.details);
    answer(exchange, 200, JSON.stringify(page.value));
  }
}
