import { Controller, Get, Inject, Res } from '@nestjs/common';
import { CommissionRuleResource } from '@truetally/contracts/attribution';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, KnownQuery, AnswersPageOf } from '../../http/route-rules.js';
import { OrderLedgerClient } from '../order-ledger-client.js';
import { SITE_PAGE_QUERY } from '../site-query.js';
import { SiteReads } from '../site-reads.js';

/** The site's commission rules, the latest effective date first. */
@Controller('api/v1/partner-attribution')
export class ListCommissionRulesController {
  constructor(
    @Inject(SiteReads) private readonly reads: SiteReads,
    @Inject(OrderLedgerClient) private readonly ledger: OrderLedgerClient,
  ) {}

  @Get('commission-rules')
  @Credential('attribution-reader')
  @KnownQuery(SITE_PAGE_QUERY)
  @AnswersPageOf(CommissionRuleResource)
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.reads.list(exchange, (page) => this.ledger.listRules(exchange, page));
  }
}
