import { Controller } from '@nestjs/common';
import type { AskReport, AskRevenueItems } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { RevenueHandlers } from './revenue.handlers.js';

@Controller()
export class RevenueConsumer {
  constructor(
    private readonly handlers: RevenueHandlers,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.readRevenue)
  readRevenue(asked: AskReport, context: AskContext) {
    return this.turns.run(context, () => this.handlers.report(asked));
  }

  @Handles(OPERATIONS.listRevenueItems)
  listRevenueItems(asked: AskRevenueItems, context: AskContext) {
    return this.turns.run(context, () => this.handlers.items(asked));
  }
}
