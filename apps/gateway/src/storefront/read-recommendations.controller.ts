import { Controller, Get } from '@nestjs/common';
import { Recommendations } from '@truetally/contracts/management';
import type { Exchange } from '../http/exchange.js';
import { Answers, Cacheable, Credential, KnownQuery } from '../http/route-rules.js';
import { RECOMMENDATION_QUERY } from './recommendation-query.js';
import { Recommender } from './recommender.js';

@Controller('api/v1/recommendations')
export class ReadRecommendationsController {
  constructor(private readonly recommender: Recommender) {}

  @Get()
  @Cacheable()
  @Credential('storefront-reader')
  @KnownQuery(RECOMMENDATION_QUERY)
  @Answers(Recommendations)
  recommend(exchange: Exchange): Promise<void> | void {
    return this.recommender.recommend(exchange);
  }
}
