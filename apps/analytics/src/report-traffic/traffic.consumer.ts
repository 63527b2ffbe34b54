import { Controller } from '@nestjs/common';
import type { AskFunnel, AskReport, AskTimeseries } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { TrafficHandlers } from './traffic.handlers.js';

@Controller()
export class TrafficConsumer {
  constructor(private readonly handlers: TrafficHandlers) {}

  @Handles(OPERATIONS.readOverview)
  readOverview(asked: AskReport) {
    return this.handlers.overview(asked);
  }

  @Handles(OPERATIONS.readTimeseries)
  readTimeseries(asked: AskTimeseries) {
    return this.handlers.timeseries(asked);
  }

  @Handles(OPERATIONS.readFunnel)
  readFunnel(asked: AskFunnel) {
    return this.handlers.funnel(asked);
  }
}
