import { Controller } from '@nestjs/common';
import type { ReadReport } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ReadReportHandler } from './read-report.handler.js';

@Controller()
export class ReadReportConsumer {
  constructor(private readonly handler: ReadReportHandler) {}

  @Handles(OPERATIONS.readPublisherReport)
  readReport(asked: ReadReport) {
    return this.handler.handle(asked);
  }
}
