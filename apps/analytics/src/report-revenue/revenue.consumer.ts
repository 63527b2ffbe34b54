import { Controller } from '@nestjs/common';
import type { AskReport, AskRevenueItems } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { RevenueHandlers } from './revenue.handlers.js';

@Controller()
export class RevenueConsumer {
  constructor(private readonly handlers: RevenueHandlers) {}

  @Handles(OPERATIONS.readRevenue)
  readRevenue(asked: AskReport) {
    return this.handlers.report(asked);
  }

  @Handles(OPERATIONS.listRevenueItems)
  listRevenueItems(asked: AskRevenueItems) {
    return this.handlers.items(asked);
  }
}
