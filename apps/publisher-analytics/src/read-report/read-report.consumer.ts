import { Controller } from '@nestjs/common';
import type { ReadReport } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { ReadReportHandler } from './read-report.handler.js';

@Controller()
export class ReadReportConsumer {
  constructor(
    private readonly handler: ReadReportHandler,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.readPublisherReport)
  readReport(asked: ReadReport, context: AskContext) {
    return this.turns.run(context, () => this.handler.handle(asked));
  }
}
