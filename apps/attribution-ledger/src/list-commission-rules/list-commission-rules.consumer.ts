import { Controller } from '@nestjs/common';
import type { SitePageQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ListCommissionRulesHandler } from './list-commission-rules.handler.js';

@Controller()
export class ListCommissionRulesConsumer {
  constructor(private readonly handler: ListCommissionRulesHandler) {}

  @Handles(OPERATIONS.listCommissionRules)
  listCommissionRules(asked: SitePageQuery) {
    return this.handler.handle(asked);
  }
}
