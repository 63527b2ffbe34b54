import { Controller, Inject, Post, Res } from '@nestjs/common';
import { CommissionRuleBody, CommissionRuleResource } from '@truetally/contracts/attribution';
import type { EdgeResponse } from '../../http/exchange.js';
import { Credential, JsonBody, Answers, Refuses } from '../../http/route-rules.js';
import { CommissionRuleCreator } from './commission-rule-creator.js';

@Controller('api/v1/partner-attribution')
export class CreateCommissionRuleController {
  constructor(@Inject(CommissionRuleCreator) private readonly creator: CommissionRuleCreator) {}

  @Post('commission-rules')
  @Credential('commission-rule-writer')
  @JsonBody(CommissionRuleBody)
  @Answers(CommissionRuleResource, 201, 200)
  @Refuses(409)
  create(@Res() response: EdgeResponse): Promise<void> {
    return this.creator.create(response.exchange);
  }
}
