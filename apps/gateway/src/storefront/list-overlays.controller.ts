import { Controller, Get } from '@nestjs/common';
import { ShownOverlays } from '@truetally/contracts/management';
import type { Exchange } from '../http/exchange.js';
import { Credential, KnownQuery, Answers, Cacheable } from '../http/route-rules.js';
import { StorefrontCampaigns } from './storefront-campaigns.js';
import { VISIT_QUERY } from './visit-query.js';

@Controller('api/v1/public/overlays')
export class ListOverlaysController {
  constructor(private readonly campaigns: StorefrontCampaigns) {}

  @Get()
  @Cacheable()
  @Credential('storefront-reader')
  @KnownQuery(VISIT_QUERY)
  @Answers(ShownOverlays)
  list(exchange: Exchange): Promise<void> | void {
    return this.campaigns.list(exchange, 'overlay');
  }
}
