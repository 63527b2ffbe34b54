import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, KnownQuery } from '../../http/route-rules.js';
import { SITE_PAGE_QUERY } from '../site-query.js';
import { CommissionRuleLister } from './commission-rule-lister.js';

@Controller('api/v1/partner-attribution')
export class ListCommissionRulesController {
  constructor(@Inject(CommissionRuleLister) private readonly lister: CommissionRuleLister) {}

  @Get('commission-rules')
  @Credential('attribution-reader')
  @KnownQuery(...SITE_PAGE_QUERY)
  list(@Res() response: EdgeResponse): Promise<void> {
    return this.lister.list(response.exchange);
  }
}
