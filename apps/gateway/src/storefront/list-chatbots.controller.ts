import { Controller, Get } from '@nestjs/common';
import { ShownChatbots } from '@truetally/contracts/management';
import type { Exchange } from '../http/exchange.js';
import { Credential, KnownQuery, Answers, Cacheable } from '../http/route-rules.js';
import { StorefrontCampaigns } from './storefront-campaigns.js';
import { VISIT_QUERY } from './visit-query.js';

@Controller('api/v1/public/chatbots')
export class ListChatbotsController {
  constructor(private readonly campaigns: StorefrontCampaigns) {}

  @Get()
  @Cacheable()
  @Credential('storefront-reader')
  @KnownQuery(VISIT_QUERY)
  @Answers(ShownChatbots)
  list(exchange: Exchange): Promise<void> | void {
    return this.campaigns.list(exchange, 'chatbot');
  }
}
