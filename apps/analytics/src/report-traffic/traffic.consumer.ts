import { Controller } from '@nestjs/common';
import type { AskFunnel, AskReport, AskTimeseries } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { TrafficHandlers } from './traffic.handlers.js';

@Controller()
export class TrafficConsumer {
  constructor(
    private readonly handlers: TrafficHandlers,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.readOverview)
  readOverview(asked: AskReport, context: AskContext) {
    return this.turns.run(context, () => this.handlers.overview(asked));
  }

  @Handles(OPERATIONS.readTimeseries)
  readTimeseries(asked: AskTimeseries, context: AskContext) {
    return this.turns.run(context, () => this.handlers.timeseries(asked));
  }

  @Handles(OPERATIONS.readFunnel)
  readFunnel(asked: AskFunnel, context: AskContext) {
    return this.turns.run(context, () => this.handlers.funnel(asked));
  }
}
